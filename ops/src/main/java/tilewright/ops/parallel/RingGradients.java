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
import tilewright.ops.collectives.Work;

/**
 * Gradients of attention on one rank's keys and values after the other's (Ring Attention, Liu et al. 2023). The
 * logarithms of all keys make each step's gradients a share of the whole's. Those by Q add up where the queries are;
 * those by K and V go round one step behind their keys and values, and end at their owner. Shares are of the operands'
 * type and are added in FP32.
 */
final class RingGradients {
  private final Sequence s;
  private final Communicator ranks;
  private final Ops ops;
  private final AttentionOptions options;
  private final AttentionOptions dense;
  private final AttentionState forward;
  private final DeviceTensor gradient;
  private final List<DeviceTensor> memory = new ArrayList<>();
  private final DeviceTensor queries;
  private Sums current;
  private Sums coming;
  private Work passing = () -> {};

  /** Sums of the gradients by a block of keys and values. */
  private record Sums(DeviceTensor k, DeviceTensor v) {}

  RingGradients(Sequence sequence, Communicator ranks, AttentionState forward, DeviceTensor gradient,
      AttentionOptions options) {
    this.s = sequence;
    this.ranks = ranks;
    this.ops = ranks.ops();
    this.options = options;
    this.dense = options.window(-1, -1);
    this.forward = forward;
    this.gradient = gradient;
    queries = sums(s.q());
    current = new Sums(sums(s.k()), sums(s.v()));
    coming = ranks.size() == 1 ? current : new Sums(sums(s.k()), sums(s.v()));
  }

  private DeviceTensor sums(DeviceTensor tensor) {
    var sums = ops.empty(ElementType.F32, tensor.shape());
    memory.add(sums);
    return sums;
  }

  void run(AttentionGradients into) {
    try (var ring = new KeyRing(s, ranks)) {
      ring.go((source, block) -> {
        if (source == s.rank()) own(block);
        else if (!s.causal()) share(-1, -1, block);
        else if (source < s.rank()) share(-1, 0, block);
        else share(1, -1, block);
        pass();
      });
      passing.join();
      ops.copy(queries, into.q());
      ops.copy(current.k, into.k());
      ops.copy(current.v, into.v());
    } finally {
      memory.forEach(DeviceTensor::close);
    }
  }

  /** Begins all sums. A rank's two chunks follow each other, so that a causal mask is one of its tokens. */
  private void own(KeyRing.Block block) {
    try (var part = ops.attentionGradients(s.q(), block.k(), block.v(), forward, gradient, options)) {
      ops.copy(part.q(), queries);
      ops.copy(part.k(), current.k);
      ops.copy(part.v(), current.v);
    }
  }

  /** Adds the gradients of chunks of queries by chunks of keys, of which −1 is both. */
  private void share(int queryChunk, int keyChunk, KeyRing.Block block) {
    try (var part = ops.attentionGradients(chunk(s.q(), queryChunk), chunk(block.k(), keyChunk),
        chunk(block.v(), keyChunk), queryChunk < 0 ? forward : s.chunk(forward, queryChunk),
        chunk(gradient, queryChunk), dense)) {
      add(part.q(), chunk(queries, queryChunk));
      passing.join();
      add(part.k(), chunk(current.k, keyChunk));
      add(part.v(), chunk(current.v, keyChunk));
    }
  }

  private DeviceTensor chunk(DeviceTensor tensor, int half) {
    return half < 0 ? tensor : s.chunk(tensor, half);
  }

  private void add(DeviceTensor share, DeviceTensor sum) {
    ops.add(sum, share, sum);
  }

  /** Begins to send the sums of a block on, and to receive those of the next block. */
  private void pass() {
    if (ranks.size() == 1) return;
    var sent = current;
    var received = coming;
    passing = ranks.start(() -> {
      for (var tensor : List.of(sent.k, sent.v)) ranks.send(tensor, (s.rank() + 1) % ranks.size());
      for (var tensor : List.of(received.k, received.v)) {
        ranks.receive(tensor, (s.rank() + ranks.size() - 1) % ranks.size());
      }
    });
    current = received;
    coming = sent;
  }
}
