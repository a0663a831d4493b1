package tilewright.sm100;

import java.util.List;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.numerics.ElementType;

/**
 * Raises "G" (L), FP32 numbers that were zero, to the largest finite magnitudes of "X" (M,K,L).
 *
 * @param source f32, bf16 or f16
 * @param vectors whether X is read 16 bytes at once
 */
record LargestMagnitude(ElementType source, boolean vectors) implements Kernel {
  static final int THREADS = 256;
  /** Columns that a block of threads reads. */
  static final int COLUMNS = 128;
  /** Rows that a block of threads reads. */
  static final int ROWS = 128;
  private static final Partition READS = QuantizedRows.partition(THREADS, COLUMNS, ROWS, QuantizedRows.UNIT);

  @Override
  public String name() {
    return "largest_magnitude_" + source.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var x = QuantizedRows.of(k, source, vectors).tile(List.of(ROWS, COLUMNS), k.blockX(), k.blockY(),
        k.blockZ());
    var result = k.global(TensorSpec.of("G", ElementType.F32, "L")).at(k.blockZ());
    var place = READS.coordinate(thread, 0);
    var found = k.accumulator(0);
    k.loop(k.constant(0), k.constant(ROWS), THREADS / (COLUMNS / QuantizedRows.UNIT), pass -> {
      var largest = found.value();
      for (var value : x.read(k, place[1].plus(pass), place[0])) {
        var magnitude = value.magnitude();
        var finite = magnitude.atMost(k.constant(Float.MAX_VALUE));
        largest = largest.max(magnitude.where(finite, k.constant(0f)));
      }
      found.set(largest);
    });
    var largest = found.value();
    for (int lanes = 1; lanes < Warp.SIZE; lanes *= 2) largest = largest.max(Shuffle.butterfly(k, largest, lanes));
    var ofWarp = largest;
    k.when(thread.modulo(Warp.SIZE).equalTo(0), () -> result.atomicMax(ofWarp));
  }
}
