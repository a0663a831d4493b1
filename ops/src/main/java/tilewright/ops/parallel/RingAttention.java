package tilewright.ops.parallel;

import java.util.ArrayList;
import java.util.List;
import tilewright.ops.AttentionOptions;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;

/**
 * Attention on one rank's keys and values after the other's. With a causal mask the zig-zag order makes each step
 * dense: of an earlier rank all queries see the first chunk, of a later rank the second chunk's queries see both.
 */
final class RingAttention {
  private final Sequence s;
  private final Communicator ranks;
  private final Ops ops;
  private final AttentionOptions options;
  private final AttentionOptions dense;
  private final DeviceTensor output;
  private final List<DeviceTensor> memory = new ArrayList<>();

  /** Keys and values of a rank. */
  private record Block(DeviceTensor k, DeviceTensor v) {}

  RingAttention(Sequence sequence, Communicator ranks, AttentionOptions options, DeviceTensor output) {
    this.s = sequence;
    this.ranks = ranks;
    this.ops = ranks.ops();
    this.options = options;
    this.dense = options.window(-1, -1);
    this.output = output;
  }

  void run() {
    try {
      if (s.causal()) causal();
      else all();
    } finally {
      memory.forEach(DeviceTensor::close);
    }
  }

  private void all() {
    try (var states = new PartialOutputs(s.q(), output, ranks.size())) {
      go((_, block) -> states.add(s.q(), block.k, block.v, dense));
      states.merge();
    }
  }

  private void causal() {
    var q = List.of(s.chunk(s.q(), 0), s.chunk(s.q(), 1));
    try (var first = new PartialOutputs(q.get(0), s.chunk(output, 0), s.rank() + 1);
        var second = new PartialOutputs(q.get(1), s.chunk(output, 1), ranks.size())) {
      go((source, block) -> {
        if (source > s.rank()) {
          second.add(q.get(1), block.k, block.v, dense);
          return;
        }
        var own = source == s.rank();
        first.add(q.get(0), s.chunk(block.k, 0), s.chunk(block.v, 0), own ? options : dense);
        if (own) second.add(q.get(1), block.k, block.v, options);
        else second.add(q.get(1), s.chunk(block.k, 0), s.chunk(block.v, 0), dense);
      });
      first.merge();
      second.merge();
    }
  }

  /** A step of the ring. */
  @FunctionalInterface
  private interface Step {
    void compute(int source, Block block);
  }

  /** Computes on each block while the next one comes: two take turns in receiving. */
  private void go(Step step) {
    int size = ranks.size();
    int next = (s.rank() + 1) % size;
    int previous = (s.rank() + size - 1) % size;
    var current = new Block(inOrder(s.k()), inOrder(s.v()));
    var received = new ArrayList<Block>();
    for (int i = 0; i < Math.min(2, size - 1); i++) received.add(new Block(like(s.k()), like(s.v())));
    for (int i = 0; i < size; i++) {
      int source = (s.rank() + size - i) % size;
      if (i == size - 1) {
        step.compute(source, current);
        return;
      }
      var sent = current;
      var coming = received.get(i % received.size());
      var work = ranks.start(() -> {
        ranks.send(sent.k, next);
        ranks.send(sent.v, next);
        ranks.receive(coming.k, previous);
        ranks.receive(coming.v, previous);
      });
      step.compute(source, current);
      work.join();
      current = coming;
    }
  }

  private DeviceTensor inOrder(DeviceTensor tensor) {
    if (tensor.isContiguous()) return tensor;
    var copy = ops.contiguous(tensor);
    memory.add(copy);
    return copy;
  }

  private DeviceTensor like(DeviceTensor tensor) {
    var empty = ops.empty(tensor.type(), tensor.shape());
    memory.add(empty);
    return empty;
  }
}
