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
import tilewright.kernel.Vector;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.Operand;

/**
 * The epilogue C = alpha · accumulator + beta · C in FP32, one rounding to C's type. Where beta is zero C
 * is not read, so that a NaN in it does not survive.
 *
 * @param vector neighbours along n that a thread stores at once: at most those that it has beside one another, or 8 of
 *     16 bits, for which four lanes then trade theirs
 */
public record LinearCombination(F32 alpha, F32 beta, int vector) {
  private static final int LANES = 4;
  private static final int PAIR = 2;

  /** Stores a thread's accumulators to the tile at C's origin. */
  public void store(Scope k, I32 thread, Partition partition, Fragment accumulators, GlobalTensor c) {
    var ordered = ordered(partition);
    var values = partition.layout().mode(1);
    long rows = partition.tile().getFirst();
    boolean beside = values.apply(ordered.get(vector - 1)) - values.apply(ordered.getFirst()) == (vector - 1) * rows;
    k.when(beta.notEqualTo(0f),
        () -> storeEach(k, thread, partition, accumulators, c, beside ? vector : PAIR, true),
        () -> {
          if (beside) storeEach(k, thread, partition, accumulators, c, vector, false);
          else storeTraded(k, thread, partition, accumulators, c);
        });
  }

  private void storeEach(Scope k, I32 thread, Partition partition, Fragment accumulators, GlobalTensor c, int count,
      boolean readC) {
    for (var run : runs(partition, count)) {
      var place = partition.coordinate(thread, run.getFirst());
      var element = c.at(place[0], place[1], k.constant(0));
      k.when(element.inside(), () -> {
        var old = readC ? element.load(count) : List.<F32>of();
        var results = new ArrayList<F32>();
        for (int value : run) {
          var product = product(k, accumulators, value);
          results.add(readC ? beta.fma(old.get(results.size()), product) : product);
        }
        if (count == 1) element.store(results.getFirst());
        else element.store(results);
      });
    }
  }

  /** Stores runs of eight columns: four lanes with two columns of four atoms each trade them for one atom's eight. */
  private void storeTraded(Scope k, I32 thread, Partition partition, Fragment accumulators, GlobalTensor c) {
    var type = c.spec().type();
    for (var run : runs(partition, vector)) {
      var pairs = new ArrayList<Operand.Register>();
      for (int i = 0; i < vector; i += PAIR) {
        pairs.add(Vector.pack(k, type, product(k, accumulators, run.get(i)), product(k, accumulators, run.get(i + 1))));
      }
      var mine = Shuffle.tradeInFours(k, thread, pairs);
      var place = partition.coordinate(thread, run.getFirst());
      // The lane's columns begin at 8 times its number among the four, no longer at twice it.
      var column = place[1].plus(thread.modulo(LANES).times(vector - PAIR));
      var element = c.at(place[0], column, k.constant(0));
      k.when(element.inside(), () -> element.store(Vector.packed(k, type, mine)));
    }
  }

  private F32 product(Scope k, Fragment accumulators, int value) {
    return alpha.times(accumulators.accumulator(k, value));
  }

  private static List<List<Integer>> runs(Partition partition, int count) {
    var ordered = ordered(partition);
    return IntStream.iterate(0, i -> i < ordered.size(), i -> i + count)
        .mapToObj(i -> ordered.subList(i, i + count)).toList();
  }

  /** A thread's values row by row. */
  private static List<Integer> ordered(Partition partition) {
    var values = partition.layout().mode(1);
    long rows = partition.tile().getFirst();
    return IntStream.range(0, partition.values()).boxed()
        .sorted(Comparator.comparingLong((Integer v) -> values.apply(v) % rows).thenComparingLong(values::apply))
        .toList();
  }
}
