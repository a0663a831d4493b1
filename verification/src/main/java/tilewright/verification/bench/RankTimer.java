package tilewright.verification.bench;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.function.IntConsumer;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.RankThreads;

/** Times programs of the first few ranks or of all, with a thread for each. */
record RankTimer(List<Communicator> ranks, CyclicBarrier barrier) {
  RankTimer(List<Communicator> ranks) {
    this(ranks, new CyclicBarrier(ranks.size()));
  }

  /** Milliseconds of a run on the first devices, from the first one's start to the last one's end. */
  double turn(int devices, IntConsumer run, int runs) {
    if (devices > 1 && devices < ranks.size()) throw new IllegalArgumentException("one device or all, not " + devices);
    var begins = new long[devices];
    var ends = new long[devices];
    onEach(devices, rank -> {
      var ops = ranks.get(rank).ops();
      ops.synchronize();
      if (devices > 1) meet();
      begins[rank] = System.nanoTime();
      for (int i = 0; i < runs; i++) run.accept(rank);
      ops.synchronize();
      ends[rank] = System.nanoTime();
    });
    return (Arrays.stream(ends).max().orElseThrow() - Arrays.stream(begins).min().orElseThrow()) * 1e-6 / runs;
  }

  private void meet() {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException("a rank is gone", e);
    }
  }

  /** Runs an action for each of the first devices. */
  void onEach(int devices, IntConsumer action) {
    RankThreads.run(ranks.subList(0, devices), rank -> {
      action.accept(rank.rank());
      return rank;
    });
  }

  /** The median of one series over another, round by round. */
  static Sample ratios(double[] numerators, double[] denominators) {
    var ratios = new double[numerators.length];
    Arrays.setAll(ratios, i -> numerators[i] / denominators[i]);
    return Sample.of(ratios);
  }

  /** The largest difference, relative to expected numbers above {@code unit}; infinite where one is no number. */
  static double largestDifference(float[] expected, float[] actual, double unit) {
    double most = 0;
    for (int i = 0; i < expected.length; i++) {
      double difference = Math.abs((double) expected[i] - actual[i]) / Math.max(unit, Math.abs(expected[i]));
      most = Math.max(most, Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference);
    }
    return most;
  }
}
