package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;
import tilewright.ops.AttentionGradients;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.parallel.ContextParallelAttention;
import tilewright.ops.parallel.ZigZag;

/** Times causal attention and its gradients on one device and on all of a communicator, in turns. */
final class ContextParallelTimer {
  private static final AttentionOptions CAUSAL = AttentionOptions.of().causal();
  /** Rounds of a measurement. */
  static final int ROUNDS = 9;
  /** The most runs in a turn, and the milliseconds that a turn takes at least. */
  private static final int MOST_RUNS = 4;
  private static final double LEAST_MS = 100;
  /** Rows of a chunk whose results are compared, at its beginning and its end. */
  private static final int COMPARED = 32;

  private final List<Communicator> ranks;
  private final RankTimer timer;
  private final DevicePeers peers;
  private final int rounds;

  ContextParallelTimer(List<Communicator> ranks, DevicePeers peers, int rounds) {
    this.ranks = ranks;
    this.peers = peers;
    this.rounds = rounds;
    timer = new RankTimer(ranks);
  }

  /** Queries, keys, values and the gradient by the output on one device. */
  private record Tensors(DeviceTensor q, DeviceTensor k, DeviceTensor v, DeviceTensor gradient)
      implements AutoCloseable {
    static Tensors of(List<LongTensor> all, Function<LongTensor, DeviceTensor> part) {
      return new Tensors(part.apply(all.get(0)), part.apply(all.get(1)), part.apply(all.get(2)),
          part.apply(all.get(3)));
    }

    /** A view of the first tokens. */
    Tensors first(int tokens) {
      return new Tensors(q.slice(1, 0, tokens), k.slice(1, 0, tokens), v.slice(1, 0, tokens),
          gradient.slice(1, 0, tokens));
    }

    DeviceTensor attention() {
      return q.ops().attention(q, k, v, CAUSAL);
    }

    /** The output and its logarithms, for gradients. */
    AttentionState forward() {
      var state = new AttentionState(q.ops().empty(q.type(), q.shape()),
          q.ops().empty(ElementType.F32, q.size(0), q.size(2), q.size(1)));
      q.ops().attention(q, k, v, CAUSAL, state);
      return state;
    }

    List<DeviceTensor> gradients(AttentionState state) {
      return list(q.ops().attentionGradients(q, k, v, state, gradient, CAUSAL));
    }

    @Override
    public void close() {
      Stream.of(q, k, v, gradient).forEach(DeviceTensor::close);
    }
  }

  /**
   * A way to compute results (B,S,H,D), which are closed.
   *
   * @param problem of the peers
   * @param share of the work that {@code timed} does
   * @param timed on one device
   * @param one on one device, for comparison
   */
  private record Program(String kernel, String way, Map<String, Object> problem, double flops, double share,
      Supplier<List<DeviceTensor>> timed, Supplier<List<DeviceTensor>> one, IntFunction<List<DeviceTensor>> all) {}

  /**
   * Times on one device and on all.
   *
   * @param kernels of {@link DeviceScaling#KERNELS}
   * @param onOne tokens on one device
   */
  List<DeviceScaling.Row> rows(List<String> kernels, int onOne, Scaling scaling, int heads, int keyHeads, int dim) {
    int tokens = scaling.tokens(onOne, ranks.size());
    var order = new ZigZag(ranks.size(), tokens);
    var parts = new ArrayList<Tensors>();
    var numbers = List.of(new LongTensor(tokens, heads, dim, 1), new LongTensor(tokens, keyHeads, dim, 2),
        new LongTensor(tokens, keyHeads, dim, 3), new LongTensor(tokens, heads, dim, 4));
    try (var whole = Tensors.of(numbers, tensor -> tensor.whole(ranks.getFirst().ops()))) {
      for (var rank : ranks) {
        parts.add(Tensors.of(numbers, tensor -> tensor.part(rank.ops(), order, rank.rank())));
      }
      var config = "1×" + tokens + "×" + heads + "/" + keyHeads + "×" + dim + " bf16 causal"
          + (tokens == onOne ? "" : ", beside " + onOne + " tokens on one");
      double flops = 2.0 * tokens * tokens * heads * dim;
      double share = Math.pow((double) onOne / tokens, 2);
      var first = whole.first(onOne);
      var problem = Map.<String, Object>of("tokens", tokens, "heads", heads, "kvHeads", keyHeads, "headDim", dim);
      var rows = new ArrayList<DeviceScaling.Row>();
      if (kernels.contains(DeviceScaling.ATTENTION)) {
        for (var way : ContextParallelAttention.values()) {
          rows.add(row(config, order, new Program(DeviceScaling.ATTENTION, way.name().toLowerCase(Locale.ROOT),
              with(problem, DeviceScaling.ATTENTION), flops, share, () -> List.of(first.attention()),
              () -> List.of(whole.attention()),
              rank -> List.of(apply(way, rank, parts.get(rank))))));
        }
      }
      if (kernels.contains(DeviceScaling.BACKWARD)) {
        rows.add(backward(config, order, with(problem, DeviceScaling.BACKWARD), flops, share, first, whole,
            parts));
      }
      return rows;
    } finally {
      parts.forEach(Tensors::close);
      numbers.forEach(LongTensor::close);
    }
  }

  private DeviceScaling.Row backward(String config, ZigZag order, Map<String, Object> problem, double flops,
      double share, Tensors first, Tensors whole, List<Tensors> parts) {
    var states = new AttentionState[ranks.size()];
    timer.onEach(ranks.size(), rank -> {
      var t = parts.get(rank);
      states[rank] = ContextParallelAttention.RING.forward(ranks.get(rank), t.q, t.k, t.v, CAUSAL);
    });
    try (var state = whole.forward(); var timed = first.forward()) {
      // Five products where the forward pass has two.
      return row(config, order, new Program(DeviceScaling.BACKWARD, "ring", problem, 2.5 * flops, share,
          () -> first.gradients(timed), () -> whole.gradients(state), rank -> {
            var t = parts.get(rank);
            return list(ContextParallelAttention.RING.gradients(ranks.get(rank), t.q, t.k, t.v, states[rank],
                t.gradient, CAUSAL));
          }));
    } finally {
      Stream.of(states).forEach(AttentionState::close);
    }
  }

  private static Map<String, Object> with(Map<String, Object> problem, String kernel) {
    var request = new HashMap<>(problem);
    request.put("op", kernel);
    return request;
  }

  private static List<DeviceTensor> list(AttentionGradients gradients) {
    return List.of(gradients.q(), gradients.k(), gradients.v());
  }

  private DeviceTensor apply(ContextParallelAttention way, int rank, Tensors t) {
    return way.apply(ranks.get(rank), t.q, t.k, t.v, CAUSAL);
  }

  private DeviceScaling.Row row(String config, ZigZag order, Program program) {
    var one = new double[rounds];
    var all = new double[rounds];
    var beside = new Rounds();
    IntConsumer alone = _ -> program.timed.get().forEach(DeviceTensor::close);
    IntConsumer together = rank -> program.all.apply(rank).forEach(DeviceTensor::close);
    timer.turn(1, alone, 1);
    timer.turn(ranks.size(), together, 1);
    int runs = Math.clamp((int) Math.ceil(LEAST_MS / timer.turn(ranks.size(), together, 1)), 1, MOST_RUNS);
    for (int round = 0; round < rounds; round++) {
      one[round] = timer.turn(1, alone, runs);
      if (peers.arePresent()) timer.turn(ranks.size(), together, 1);
      all[round] = timer.turn(ranks.size(), together, runs);
      beside.add(List.of(all[round]), peers.turn(program.problem, runs));
    }
    var speedup = RankTimer.ratios(one, all).times(1 / program.share);
    double ms = Sample.of(all).median();
    return new DeviceScaling.Row(program.kernel, config, program.way, Sample.of(one).median(), ms, speedup.median(),
        speedup.spread(), program.flops / ms * 1e-9, largestDifference(program, order),
        DeviceScaling.PeerTimes.of(beside));
  }

  private double largestDifference(Program program, ZigZag order) {
    var differences = new double[ranks.size()];
    var expected = program.one.get();
    timer.onEach(ranks.size(), rank -> {
      var results = program.all.apply(rank);
      for (int i = 0; i < results.size(); i++) {
        for (int half = 0; half < 2; half++) {
          long chunk = half == 0 ? rank : order.second(rank);
          for (long at : new long[] {0, order.chunk() - COMPARED}) {
            differences[rank] = Math.max(differences[rank], RankTimer.largestDifference(
                rows(expected.get(i), chunk * order.chunk() + at),
                rows(results.get(i), (long) half * order.chunk() + at), 1));
          }
        }
      }
      results.forEach(DeviceTensor::close);
    });
    expected.forEach(DeviceTensor::close);
    return Arrays.stream(differences).max().orElseThrow();
  }

  private static float[] rows(DeviceTensor output, long first) {
    return output.slice(1, first, first + COMPARED).floats();
  }
}
