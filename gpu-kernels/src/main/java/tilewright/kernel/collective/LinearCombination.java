package tilewright.kernel.collective;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;

/**
 * The epilogue C = alpha · accumulator + beta · C in single precision, one rounding to C's type. Where beta is zero C
 * is not read, so that a NaN in it does not survive.
 *
 * @param vector neighbours along n that a thread stores at once: 1 or 2
 */
public record LinearCombination(F32 alpha, F32 beta, int vector) {

  /** Stores a thread's accumulators to the tile at C's origin. */
  public void store(Scope k, I32 thread, Partition partition, Fragment accumulators, GlobalTensor c) {
    k.when(beta.notEqualTo(0f),
        () -> storeAll(k, thread, partition, accumulators, c, true),
        () -> storeAll(k, thread, partition, accumulators, c, false));
  }

  private void storeAll(Scope k, I32 thread, Partition partition, Fragment accumulators, GlobalTensor c,
      boolean readC) {
    for (int value = 0; value < partition.values(); value += vector) {
      int first = value;
      var place = partition.coordinate(thread, value);
      var element = c.at(place[0], place[1], k.constant(0));
      k.when(element.inside(), () -> {
        var old = readC ? element.load(vector) : List.<F32>of();
        var results = new F32[vector];
        for (int i = 0; i < vector; i++) {
          var product = alpha.times(k.result(accumulators.group((first + i) / 4).get((first + i) % 4)));
          results[i] = readC ? beta.fma(old.get(i), product) : product;
        }
        if (vector == 2) element.store(results[0], results[1]);
        else element.store(results[0]);
      });
    }
  }
}
