package tilewright.ops.parallel;

import java.util.List;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.collectives.Communicator;

/**
 * Attention on one rank's keys and values after the other's. With a causal mask the zig-zag order makes each step
 * dense: of an earlier rank all queries see the first chunk, of a later rank the second chunk's queries see both.
 */
final class RingAttention {
  private final Sequence s;
  private final Communicator ranks;
  private final AttentionOptions options;
  private final AttentionOptions dense;
  private final AttentionState result;

  RingAttention(Sequence sequence, Communicator ranks, AttentionOptions options, AttentionState result) {
    this.s = sequence;
    this.ranks = ranks;
    this.options = options;
    this.dense = options.window(-1, -1);
    this.result = result;
  }

  void run() {
    try (var ring = new KeyRing(s, ranks)) {
      if (s.causal()) causal(ring);
      else all(ring);
    }
  }

  private void all(KeyRing ring) {
    try (var states = new PartialOutputs(result, ranks.size())) {
      ring.go((_, block) -> states.add(s.q(), block.k(), block.v(), dense));
      states.merge();
    }
  }

  private void causal(KeyRing ring) {
    var q = List.of(s.chunk(s.q(), 0), s.chunk(s.q(), 1));
    try (var first = new PartialOutputs(s.chunk(result, 0), s.rank() + 1);
        var second = new PartialOutputs(s.chunk(result, 1), ranks.size())) {
      ring.go((source, block) -> {
        if (source > s.rank()) {
          second.add(q.get(1), block.k(), block.v(), dense);
          return;
        }
        var own = source == s.rank();
        first.add(q.get(0), s.chunk(block.k(), 0), s.chunk(block.v(), 0), own ? options : dense);
        if (own) second.add(q.get(1), block.k(), block.v(), options);
        else second.add(q.get(1), s.chunk(block.k(), 0), s.chunk(block.v(), 0), dense);
      });
      first.merge();
      second.merge();
    }
  }
}
