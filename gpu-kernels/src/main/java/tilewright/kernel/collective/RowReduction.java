package tilewright.kernel.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.Cluster;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** How the threads that share a row combine their tuples: all of them get the result, the same in every run. */
@FunctionalInterface
interface RowReduction {
  /** @param merge commutative */
  List<F32> reduce(List<F32> mine, BinaryOperator<List<F32>> merge);

  /** Threads of one block. */
  static RowReduction inBlock(ThreadGroup group) {
    return group::reduceAll;
  }

  /**
   * The blocks of a cluster: each block's first threads, one for each block, leave its result in the shared memory of
   * all, and every thread combines them in the order of the ranks.
   */
  static RowReduction inCluster(ThreadGroup group, I32 rank, int blocks) {
    return (mine, merge) -> {
      var k = group.k();
      var inBlock = group.reduceAll(mine, merge);
      var results = k.shared(ElementType.F32, Layout.columnMajor(mine.size(), blocks));
      k.when(group.thread().lessThan(blocks), () -> send(k, inBlock, results, rank, group.thread()));
      Cluster.arrive(k);
      Cluster.await(k);
      var all = new ArrayList<List<F32>>();
      for (int block = 0; block < blocks; block++) all.add(read(k, results, mine.size(), block));
      return all.stream().reduce(merge).orElseThrow();
    };
  }

  private static void send(Scope k, List<F32> values, SharedTensor results, I32 rank, I32 receiver) {
    for (int i = 0; i < values.size(); i++) Cluster.store(k, results.at(k.constant(i), rank), receiver, values.get(i));
  }

  private static List<F32> read(Scope k, SharedTensor results, int count, int block) {
    var values = new ArrayList<F32>();
    for (int i = 0; i < count; i++) values.add(results.at(k.constant(i), k.constant(block)).load());
    return values;
  }
}
