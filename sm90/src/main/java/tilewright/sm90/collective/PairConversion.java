package tilewright.sm90.collective;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pair;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Vector;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** How two narrow weights, neighbours along k, become numbers of a 16-bit type, multiplied by their row's scale. */
sealed interface PairConversion {
  int PAIR = 2;

  /** The way from a narrow type, of which two of 4 bits share a byte. */
  static PairConversion of(ElementType narrow, ElementType wide) {
    return narrow == ElementType.I4 ? new Integers(wide) : new Floats(wide);
  }

  /** Registers for what the pairs of a row are multiplied by. */
  List<Operand.Register> factor(Scope k);

  /** Makes that of the row's scale. */
  void set(Scope k, List<Operand.Register> factor, F32 scale);

  /** Converts the pair at a place of a tile. */
  void convert(Scope k, SharedTensor tile, I32 row, I32 column, I32 stage, List<Operand.Register> factor,
      Operand.Register into);

  /** 8-bit floats: multiplied in FP32, and rounded. */
  record Floats(ElementType wide) implements PairConversion {
    @Override
    public List<Operand.Register> factor(Scope k) {
      return List.of(k.newRegister(PtxType.F32));
    }

    @Override
    public void set(Scope k, List<Operand.Register> factor, F32 scale) {
      k.emit("mov.f32", factor.getFirst(), scale.register());
    }

    @Override
    public void convert(Scope k, SharedTensor tile, I32 row, I32 column, I32 stage, List<Operand.Register> factor,
        Operand.Register into) {
      var pair = tile.at(row, column, stage).load(PAIR);
      var scale = k.result(factor.getFirst());
      k.emit("cvt.rn." + wide.text() + "x2.f32", into, pair.get(1).times(scale).register(),
          pair.get(0).times(scale).register());
    }
  }

  /**
   * Integers of 4 bits, which the wide type holds: multiplied in it by the scale as two of its numbers, the scale
   * rounded and what that leaves rounded. The smaller product is rounded and added to the larger, fused.
   */
  record Integers(ElementType wide) implements PairConversion {
    @Override
    public List<Operand.Register> factor(Scope k) {
      return List.of(k.newRegister(PtxType.B32), k.newRegister(PtxType.B32));
    }

    @Override
    public void set(Scope k, List<Operand.Register> factor, F32 scale) {
      var rounded = Vector.pack(k, wide, scale, scale);
      var rest = scale.minus(Vector.packed(k, wide, List.of(rounded)).values().getFirst());
      k.emit("mov.b32", factor.get(0), rounded);
      k.emit("mov.b32", factor.get(1), Vector.pack(k, wide, rest, rest));
    }

    @Override
    public void convert(Scope k, SharedTensor tile, I32 row, I32 column, I32 stage, List<Operand.Register> factor,
        Operand.Register into) {
      var weights = tile.at(row, column.dividedBy(PAIR), stage).vector(1).fourBits(wide);
      var small = weights.times(Vector.packed(k, wide, List.of(factor.get(1))).pairs().getFirst());
      k.emit("fma.rn." + wide.text() + "x2", into, register(weights), factor.get(0), register(small));
    }

    private static Operand.Register register(Pair pair) {
      return Pair.join(List.of(pair)).registers().getFirst();
    }
  }
}
