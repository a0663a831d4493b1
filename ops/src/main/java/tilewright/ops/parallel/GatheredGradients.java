package tilewright.ops.parallel;

import java.util.ArrayList;
import java.util.List;
import tilewright.numerics.ElementType;
import tilewright.ops.AttentionGradients;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.Reduction;

/**
 * Gradients of attention on all keys and values, which ranks send each other. Each rank computes its queries' share of
 * the gradients of all keys and values; a reduce-scatter adds the shares and gives each rank its own. Shares are of the
 * operands' type and are added in FP32.
 */
final class GatheredGradients {
  private final Sequence s;
  private final Communicator ranks;
  private final Ops ops;
  private final AttentionState forward;
  private final DeviceTensor gradient;
  private final AttentionOptions options;
  private final List<DeviceTensor> memory = new ArrayList<>();

  GatheredGradients(Sequence sequence, Communicator ranks, AttentionState forward, DeviceTensor gradient,
      AttentionOptions options) {
    this.s = sequence;
    this.ranks = ranks;
    this.ops = ranks.ops();
    this.forward = forward;
    this.gradient = gradient;
    this.options = options;
  }

  /** Sums of shares by all keys or values, (2·ranks,chunk,B,Hk,D), both chunks of a rank beside each other. */
  private record Sums(DeviceTensor all, DeviceTensor own) {}

  void run(AttentionGradients into) {
    try (var k = GatheredAttention.Gathered.of(s, s.k()); var v = GatheredAttention.Gathered.of(s, s.v())) {
      GatheredAttention.exchange(ranks, k, v);
      var keys = sums(s.k());
      var values = sums(s.v());
      if (s.causal()) {
        for (int half = 0; half < 2; half++) {
          long seen = GatheredAttention.seen(s, half);
          share(s.chunk(s.q(), half), k.whole().view().slice(1, 0, seen), v.whole().view().slice(1, 0, seen),
              s.chunk(forward, half), s.chunk(gradient, half), s.chunk(into.q(), half), keys, values);
        }
      } else {
        share(s.q(), k.whole().view(), v.whole().view(), forward, gradient, into.q(), keys, values);
      }
      ranks.group(() -> {
        ranks.reduceScatter(keys.all, keys.own, Reduction.SUM);
        ranks.reduceScatter(values.all, values.own, Reduction.SUM);
      });
      own(keys, into.k());
      own(values, into.v());
    } finally {
      memory.forEach(DeviceTensor::close);
    }
  }

  private Sums sums(DeviceTensor part) {
    int chunk = s.order().chunk();
    var all = ops.zeros(ElementType.F32, 2L * ranks.size(), chunk, part.size(0), part.size(2), part.size(3));
    memory.add(all);
    var own = ops.empty(ElementType.F32, 2, chunk, part.size(0), part.size(2), part.size(3));
    memory.add(own);
    return new Sums(all, own);
  }

  /** Writes the gradients of some queries, and adds their shares of those of the keys and values that they see. */
  private void share(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionState state, DeviceTensor outputGradient,
      DeviceTensor into, Sums keys, Sums values) {
    try (var byKeys = ops.empty(k.type(), k.shape()); var byValues = ops.empty(v.type(), v.shape())) {
      ops.attentionGradients(q, k, v, state, outputGradient, options, new AttentionGradients(into, byKeys, byValues));
      add(byKeys, keys.all);
      add(byValues, values.all);
    }
  }

  /** Adds the chunks of a share (B,S,Hk,D), whose first key is that of the sequence. */
  private void add(DeviceTensor share, DeviceTensor sums) {
    int length = s.order().chunk();
    for (int chunk = 0; chunk < share.size(1) / length; chunk++) {
      var sum = sums.select(0, place(chunk));
      ops.add(sum, share.slice(1, (long) chunk * length, (chunk + 1L) * length).transpose(0, 1), sum);
    }
  }

  /** The place of a chunk in the order of ranks. */
  private int place(int chunk) {
    return chunk < ranks.size() ? 2 * chunk : 2 * (2 * ranks.size() - 1 - chunk) + 1;
  }

  private void own(Sums sums, DeviceTensor into) {
    for (int half = 0; half < 2; half++) ops.copy(sums.own.select(0, half).transpose(0, 1), s.chunk(into, half));
  }
}
