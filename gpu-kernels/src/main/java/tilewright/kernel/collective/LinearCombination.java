package tilewright.kernel.collective;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
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
 * @param vector neighbours along n that a thread stores at once, of those that it has beside one another
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
    for (var run : runs(partition)) {
      var place = partition.coordinate(thread, run.getFirst());
      var element = c.at(place[0], place[1], k.constant(0));
      k.when(element.inside(), () -> {
        var old = readC ? element.load(vector) : List.<F32>of();
        var results = new ArrayList<F32>();
        for (int value : run) {
          var product = alpha.times(k.result(accumulators.group(value / 4).get(value % 4)));
          results.add(readC ? beta.fma(old.get(results.size()), product) : product);
        }
        if (vector == 1) element.store(results.getFirst());
        else element.store(results);
      });
    }
  }

  /** A thread's values, so many neighbours along n at a time. */
  private List<List<Integer>> runs(Partition partition) {
    var values = partition.layout().mode(1);
    long rows = partition.tile().getFirst();
    var ordered = IntStream.range(0, partition.values()).boxed()
        .sorted(Comparator.comparingLong((Integer v) -> values.apply(v) % rows).thenComparingLong(values::apply))
        .toList();
    return IntStream.iterate(0, i -> i < ordered.size(), i -> i + vector)
        .mapToObj(i -> ordered.subList(i, i + vector)).toList();
  }
}
