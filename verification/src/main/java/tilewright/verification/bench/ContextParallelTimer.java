package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import tilewright.ops.AttentionOptions;
import tilewright.ops.DeviceTensor;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.parallel.ContextParallelAttention;
import tilewright.ops.parallel.ZigZag;

/** Times causal attention on one device and on all of a communicator, in turns, with a thread for each. */
final class ContextParallelTimer {
  private static final AttentionOptions CAUSAL = AttentionOptions.of().causal();
  private static final int ROUNDS = 7;
  private static final int RUNS = 4;
  /** Rows of a chunk whose outputs are compared, at its beginning and its end. */
  private static final int COMPARED = 32;

  private final List<Communicator> ranks;
  private final RankTimer timer;

  ContextParallelTimer(List<Communicator> ranks) {
    this.ranks = ranks;
    timer = new RankTimer(ranks);
  }

  /** Queries, keys and values on one device. */
  private record Tensors(DeviceTensor q, DeviceTensor k, DeviceTensor v) implements AutoCloseable {
    @Override
    public void close() {
      Stream.of(q, k, v).forEach(DeviceTensor::close);
    }
  }

  List<DeviceScaling.Row> rows(int tokens, int heads, int keyHeads, int dim) {
    var order = new ZigZag(ranks.size(), tokens);
    var parts = new ArrayList<Tensors>();
    try (var q = new LongTensor(tokens, heads, dim, 1); var k = new LongTensor(tokens, keyHeads, dim, 2);
        var v = new LongTensor(tokens, keyHeads, dim, 3); var whole = whole(q, k, v)) {
      for (var rank : ranks) {
        parts.add(new Tensors(q.part(rank.ops(), order, rank.rank()), k.part(rank.ops(), order, rank.rank()),
            v.part(rank.ops(), order, rank.rank())));
      }
      var rows = new ArrayList<DeviceScaling.Row>();
      double flops = 2.0 * tokens * tokens * heads * dim;
      var config = "1×" + tokens + "×" + heads + "/" + keyHeads + "×" + dim + " bf16 causal";
      for (var way : ContextParallelAttention.values()) {
        var one = new double[ROUNDS];
        var all = new double[ROUNDS];
        IntConsumer together = rank -> apply(way, rank, parts.get(rank)).close();
        timer.turn(1, _ -> apply(whole).close(), 1);
        timer.turn(ranks.size(), together, 1);
        for (int round = 0; round < ROUNDS; round++) {
          one[round] = timer.turn(1, _ -> apply(whole).close(), RUNS);
          all[round] = timer.turn(ranks.size(), together, RUNS);
        }
        var speedup = RankTimer.ratios(one, all);
        double ms = Sample.of(all).quantile(0.5);
        rows.add(new DeviceScaling.Row("attention", config, way.name().toLowerCase(Locale.ROOT),
            Sample.of(one).quantile(0.5), ms, speedup.quantile(0.5),
            speedup.spread(), flops / ms * 1e-9,
            largestDifference(way, order, whole, parts)));
      }
      return rows;
    } finally {
      parts.forEach(Tensors::close);
    }
  }

  private Tensors whole(LongTensor q, LongTensor k, LongTensor v) {
    var ops = ranks.getFirst().ops();
    return new Tensors(q.whole(ops), k.whole(ops), v.whole(ops));
  }

  private static DeviceTensor apply(Tensors t) {
    return t.q.ops().attention(t.q, t.k, t.v, CAUSAL);
  }

  private DeviceTensor apply(ContextParallelAttention way, int rank, Tensors t) {
    return way.apply(ranks.get(rank), t.q, t.k, t.v, CAUSAL);
  }

  private double largestDifference(ContextParallelAttention way, ZigZag order, Tensors whole, List<Tensors> parts) {
    var differences = new double[ranks.size()];
    try (var expected = apply(whole)) {
      timer.onEach(ranks.size(), rank -> {
        try (var output = apply(way, rank, parts.get(rank))) {
          for (int half = 0; half < 2; half++) {
            long chunk = half == 0 ? rank : order.second(rank);
            for (long at : new long[] {0, order.chunk() - COMPARED}) {
              differences[rank] = Math.max(differences[rank], RankTimer.largestDifference(
                  rows(expected, chunk * order.chunk() + at), rows(output, (long) half * order.chunk() + at)));
            }
          }
        }
      });
    }
    return Arrays.stream(differences).max().orElseThrow();
  }

  private static float[] rows(DeviceTensor output, long first) {
    return output.slice(1, first, first + COMPARED).floats();
  }
}
