package tilewright.sm100;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.Shuffle;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm100.atom.NarrowPack;
import tilewright.sm100.atom.ScaleCopy;

/**
 * Quantizes "X" (M,K) to elements "Q" and scales "S", bit for bit as {@link NarrowMatrix}. A block of 256 threads has a
 * tile of 128 rows by four scales, and writes all of it, also where the matrix has no rows or columns. A format with a
 * factor takes it from the largest finite magnitude, which "G" holds.
 *
 * @param source f32, bf16 or f16
 * @param vectors whether X is read 16 bytes at once
 */
record NarrowQuantizer(NarrowFormat format, ElementType source, boolean vectors) implements Kernel {
  static final int THREADS = 256;
  private static final int UNIT = QuantizedRows.UNIT;

  @Override
  public String name() {
    return "quantize_" + source.text() + "_to_" + format.toString().replace(' ', '_');
  }

  /** Where the scales are: what {@link ScaleCopy#layout()} is for a tile, tiles along k, blocks of 128 rows. */
  static TensorSpec scales() {
    return TensorSpec.of("S", ElementType.I8, "R32", "R4", "C", "T", "BM").contiguous("C").fixed("R32", 32)
        .fixed("R4", 4).fixed("C", ScaleCopy.SCALES);
  }

  private int words() {
    return UNIT * format.element().bits() / Integer.SIZE;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var x = QuantizedRows.of(k, source, vectors);
    var elements = k.global(TensorSpec.of("Q", ElementType.I32, "M", "W").contiguous("W").aligned(4));
    var scales = k.global(scales());
    var factor = factor(k);
    int block = format.kind().block();
    int units = ScaleCopy.SCALES * block / UNIT;
    int together = THREADS / units;
    // The zeros behind a row may go beyond the last tile of scales.
    var tiles = elements.extent(1).dividedBy(units * words());
    var tile = k.blockX().modulo(tiles);
    var rows = k.blockX().dividedBy(tiles);
    var unit = thread.modulo(units);
    var column = tile.times(units).plus(unit);
    k.loop(k.constant(0), k.constant(ScaleCopy.ROWS), together, pass -> {
      var row = thread.dividedBy(units).plus(pass);
      var values = x.read(rows.times(ScaleCopy.ROWS).plus(row), column.times(UNIT));
      var largest = QuantizedRows.largest(values);
      for (int lanes = 1; lanes < block / UNIT; lanes *= 2) {
        largest = largest.max(Shuffle.butterfly(k, largest, lanes));
      }
      var scaling = BlockScaling.of(k, format, largest, factor);
      store(k, elements, rows.times(ScaleCopy.ROWS).plus(row), column.times(words()), values, scaling);
      var place = scales.at(row.modulo(32), row.dividedBy(32), unit.dividedBy(block / UNIT), tile, rows);
      var stores = unit.modulo(block / UNIT).equalTo(0).and(tile.lessThan(scales.extent(3)));
      k.when(stores, () -> k.emit("st.global.b8", place.address(), scaling.scale()));
    });
  }

  private F32 factor(Scope k) {
    if (!format.hasFactor()) return k.constant(1f);
    var largest = k.global(TensorSpec.of("G", ElementType.F32, "ONE").fixed("ONE", 1)).at(k.constant(0)).load();
    return largest.dividedBy(k.constant(format.factorDivisor())).max(k.constant(NarrowFormat.leastFactor()));
  }

  private void store(Scope k, GlobalTensor elements, I32 row, I32 word, List<F32> values, BlockScaling scaling) {
    var scaled = values.stream().map(scaling.inverse()::times).toList();
    var words = NarrowPack.words(k, format.element(), scaled).stream().map(w -> scaling.masked(k, w)).toList();
    k.when(elements.contains(row, word), () -> {
      // Three words begin at no multiple of a longer access.
      int each = Integer.lowestOneBit(words.size());
      for (int i = 0; i < words.size(); i += each) {
        List<Operand.Register> together = words.subList(i, i + each);
        elements.at(row, word.plus(i)).store(Vector.packed(k, ElementType.I32, together));
      }
    });
  }
}
