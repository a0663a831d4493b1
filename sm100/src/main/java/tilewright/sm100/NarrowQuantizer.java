package tilewright.sm100;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.Shuffle;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm100.atom.NarrowPack;
import tilewright.sm100.atom.ScaleCopy;

/**
 * Quantizes "X" (M,K,L) to elements "Q" and scales "S", bit for bit as {@link NarrowMatrix}. A block of 256 threads has
 * a tile of 128 rows by four scales, and writes all of it, also where the matrix has no rows or columns. A format with
 * a factor takes it from the largest finite magnitude, which "G" (L) holds, and leaves it in "F" (L).
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

  /** The tensor of scales: a tile as {@link ScaleCopy#layout()} has it, tiles along k, blocks of 128 rows, batch. */
  static TensorSpec scales() {
    return TensorSpec.of("S", ElementType.I8, "R32", "R4", "C", "T", "BM", "L").contiguous("C").fixed("R32", 32)
        .fixed("R4", 4).fixed("C", ScaleCopy.SCALES);
  }

  /** Columns of a tile: four scales. */
  private int columns() {
    return ScaleCopy.SCALES * format.kind().block();
  }

  /** Words of 32 bits that a thread's neighbours become. */
  private int words() {
    return UNIT * format.element().bits() / Integer.SIZE;
  }

  @Override
  public void trace(Scope k) {
    int across = columns() / UNIT;
    var reads = QuantizedRows.partition(THREADS, columns(), ScaleCopy.ROWS, UNIT);
    var writes = QuantizedRows.partition(THREADS, across * words(), ScaleCopy.ROWS, words());
    var thread = k.block(THREADS);
    var rows = k.blockX();
    var tile = k.blockY();
    var entry = k.blockZ();
    var x = QuantizedRows.of(k, source, vectors).tile(List.of(ScaleCopy.ROWS, columns()), rows, tile, entry);
    var elements = k.global(TensorSpec.of("Q", ElementType.I32, "M", "W", "L").contiguous("W").aligned(4))
        .tile(List.of(ScaleCopy.ROWS, across * words()), rows, tile, entry);
    var scales = k.global(scales());
    var factor = factor(k, thread.equalTo(0).and(rows.equalTo(0)).and(tile.equalTo(0)), entry);
    int block = format.kind().block();

    var from = reads.coordinate(thread, 0);
    var to = writes.coordinate(thread, 0);
    k.loop(k.constant(0), k.constant(ScaleCopy.ROWS), THREADS / across, pass -> {
      var row = from[1].plus(pass);
      var values = x.read(k, row, from[0]);
      var largest = QuantizedRows.largest(values);
      for (int lanes = 1; lanes < block / UNIT; lanes *= 2) {
        largest = largest.max(Shuffle.butterfly(k, largest, lanes));
      }
      var scaling = BlockScaling.of(k, format, largest, factor);
      store(k, elements, row, to[0], values, scaling);
      // A global tensor's mode has one stride; rows of scales have two.
      var place = scales.at(row.modulo(32), row.dividedBy(32), from[0].dividedBy(block), tile, rows,
          entry);
      // The zeros behind a row may go beyond the last tile of scales.
      var stores = from[0].modulo(block).equalTo(0).and(tile.lessThan(scales.extent(3)));
      k.when(stores, () -> k.emit("st.global.b8", place.address(), scaling.scale()));
    });
  }

  /** @param first true for the thread that leaves it */
  private F32 factor(Scope k, Pred first, I32 entry) {
    if (!format.hasFactor()) return k.constant(1f);
    var largest = k.global(TensorSpec.of("G", ElementType.F32, "L")).at(entry).load();
    var factor = largest.dividedBy(k.constant(format.factorDivisor())).max(k.constant(NarrowFormat.leastFactor()));
    var result = k.global(TensorSpec.of("F", ElementType.F32, "L")).at(entry);
    k.when(first, () -> result.store(factor));
    return factor;
  }

  private void store(Scope k, GlobalTensor elements, I32 row, I32 word, List<F32> values, BlockScaling scaling) {
    var scaled = values.stream().map(scaling.inverse()::times).toList();
    var words = NarrowPack.words(k, format.element(), scaled).stream().map(w -> scaling.masked(k, w)).toList();
    var first = k.constant(0);
    k.when(elements.contains(row, word, first), () -> {
      // Three words begin at no multiple of a longer access.
      int each = Integer.lowestOneBit(words.size());
      for (int i = 0; i < words.size(); i += each) {
        List<Operand.Register> together = words.subList(i, i + each);
        elements.at(row, word.plus(i), first).store(Vector.packed(k, ElementType.I32, together));
      }
    });
  }
}
