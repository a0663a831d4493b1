package tilewright.sm90.atom;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * The larger half of each chunk of neighbours, by magnitude, and where they stood, as {@code wgmma.sp} is told: two of
 * four, or one of two of tf32. Of equal magnitudes the first count as larger, and NaN as the largest.
 */
public record LargerHalf(ElementType type) {
  private static final int REGISTER_BITS = 32;
  private static final int FOUR = 4;
  private static final int OF_THE_FIRST = 0x4;
  private static final int OF_THE_SECOND = 0xE;

  /**
   * @param elements that are kept, packed
   * @param positions for each chunk the four bits of metadata, in a register of its own
   */
  public record Kept(List<Operand.Register> elements, List<Operand.Register> positions) {}

  /** Keeps the larger half of each chunk of packed neighbours, of which there is an even number. */
  public Kept of(Scope k, List<Operand.Register> neighbours) {
    var elements = new ArrayList<Operand.Register>();
    var positions = new ArrayList<Operand.Register>();
    for (int i = 0; i < neighbours.size(); i += 2) {
      var pair = neighbours.subList(i, i + 2);
      switch (type.bits()) {
        case 32 -> ofTwo(k, pair, elements, positions);
        case 16 -> {
          var places = places(k, pair);
          positions.add(places.bits());
          elements.add(permuted(k, pair, places.first.times(0x22).plus(places.second.times(0x2200)).plus(0x1010)));
        }
        default -> {
          var low = places(k, pair.subList(0, 1));
          var high = places(k, pair.subList(1, 2));
          positions.addAll(List.of(low.bits(), high.bits()));
          elements.add(permuted(k, pair, low.first.plus(low.second.times(0x10)).plus(high.first.times(0x100))
              .plus(high.second.times(0x1000)).plus(0x4400)));
        }
      }
    }
    return new Kept(List.copyOf(elements), List.copyOf(positions));
  }

  /** Joins the four bits of eight registers in one, the first lowest. */
  public static Operand.Register joined(Scope k, List<Operand.Register> fours) {
    var word = fours.getFirst();
    for (int i = 1; i < fours.size(); i++) {
      var next = k.newRegister(PtxType.B32);
      k.emit("bfi.b32", next, fours.get(i), word, new Operand.Integer(FOUR * i), new Operand.Integer(FOUR));
      word = next;
    }
    return word;
  }

  private void ofTwo(Scope k, List<Operand.Register> pair, List<Operand.Register> elements,
      List<Operand.Register> positions) {
    var second = magnitude(k, pair.get(0), 0).lessThan(magnitude(k, pair.get(1), 0));
    var larger = k.newRegister(PtxType.B32);
    k.emit("selp.b32", larger, pair.get(1), pair.get(0), second.register());
    elements.add(larger);
    positions.add(k.constant(OF_THE_SECOND).where(second, OF_THE_FIRST).register());
  }

  /** Places in a chunk of four, the first before the second. */
  private record Places(I32 first, I32 second) {
    Operand.Register bits() {
      return first.plus(second.times(FOUR)).register();
    }
  }

  /** An element is kept if at most one other is larger. */
  private Places places(Scope k, List<Operand.Register> chunk) {
    int each = REGISTER_BITS / type.bits();
    var magnitudes = IntStream.range(0, FOUR).mapToObj(i -> magnitude(k, chunk.get(i / each), i % each)).toList();
    var larger = new ArrayList<>(IntStream.range(0, FOUR).mapToObj(_ -> k.constant(0)).toList());
    for (int i = 0; i < FOUR; i++) {
      for (int j = i + 1; j < FOUR; j++) {
        var later = magnitudes.get(i).lessThan(magnitudes.get(j));
        larger.set(i, larger.get(i).plus(k.constant(1).where(later, 0)));
        larger.set(j, larger.get(j).plus(k.constant(0).where(later, 1)));
      }
    }
    var kept = larger.stream().<Pred>map(count -> count.lessThan(2)).toList();
    return new Places(k.constant(0).where(kept.get(0), k.constant(1).where(kept.get(1), 2)),
        k.constant(3).where(kept.get(3), k.constant(2).where(kept.get(2), 1)));
  }

  /** The magnitude of an element of a register, as an integer that grows with it. */
  private I32 magnitude(Scope k, Operand.Register register, int index) {
    var bits = k.newRegister(PtxType.B32);
    var from = new Operand.Integer(type.bits() * index);
    if (type == ElementType.I8) {
      k.emit("bfe.s32", bits, register, from, new Operand.Integer(type.bits()));
      var magnitude = k.newRegister(PtxType.B32);
      k.emit("abs.s32", magnitude, bits);
      return k.result(magnitude, 1 << type.bits() - 1);
    }
    k.emit("bfe.u32", bits, register, from, new Operand.Integer(type.bits() - 1));
    return k.result(bits, (1L << type.bits() - 1) - 1);
  }

  private static Operand.Register permuted(Scope k, List<Operand.Register> pair, I32 bytes) {
    var permuted = k.newRegister(PtxType.B32);
    k.emit("prmt.b32", permuted, pair.get(0), pair.get(1), bytes.register());
    return permuted;
  }
}
