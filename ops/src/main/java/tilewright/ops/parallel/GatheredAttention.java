package tilewright.ops.parallel;

import java.util.ArrayList;
import java.util.List;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.collectives.Communicator;

/** Attention on all keys and values, which ranks send each other, chunk by chunk to its place. */
final class GatheredAttention {
  private GatheredAttention() {}

  static void run(Sequence s, Communicator ranks, AttentionOptions options, AttentionState result) {
    try (var k = Gathered.of(s, s.k()); var v = Gathered.of(s, s.v())) {
      exchange(ranks, k, v);
      var ops = ranks.ops();
      var keys = k.whole.view();
      var values = v.whole.view();
      if (!s.causal()) {
        ops.attention(s.q(), keys, values, options, result);
        return;
      }
      for (int half = 0; half < 2; half++) {
        long seen = seen(s, half);
        ops.attention(s.chunk(s.q(), half), keys.slice(1, 0, seen), values.slice(1, 0, seen), options,
            s.chunk(result, half));
      }
    }
  }

  /** Gives every rank the keys and values of all. */
  static void exchange(Communicator ranks, Gathered k, Gathered v) {
    ranks.group(() -> {
      k.exchange(ranks);
      v.exchange(ranks);
    });
  }

  /** Returns how many keys the queries of the rank's first or second chunk see under a causal mask. */
  static long seen(Sequence s, int half) {
    return (long) s.order().chunk() * ((half == 0 ? s.rank() : s.order().second(s.rank())) + 1);
  }

  /**
   * A tensor of all ranks' tokens.
   *
   * @param mine the rank's two chunks (S,B,Hk,D)
   * @param copies of chunks that had gaps
   */
  record Gathered(WholeSequence whole, List<DeviceTensor> mine, List<DeviceTensor> copies)
      implements AutoCloseable {
    static Gathered of(Sequence s, DeviceTensor part) {
      var mine = new ArrayList<DeviceTensor>();
      var copies = new ArrayList<DeviceTensor>();
      for (int half = 0; half < 2; half++) {
        var chunk = s.chunk(part, half).transpose(0, 1);
        if (!chunk.isContiguous()) {
          chunk = part.ops().contiguous(chunk);
          copies.add(chunk);
        }
        mine.add(chunk);
      }
      return new Gathered(WholeSequence.empty(part.ops(), s.order(), part.type(), part.size(0), part.size(2),
          part.size(3)), mine, copies);
    }

    void exchange(Communicator ranks) {
      for (int half = 0; half < 2; half++) {
        ranks.ops().copy(mine.get(half), whole.chunk(ranks.rank(), half));
        for (int peer = 0; peer < ranks.size(); peer++) {
          if (peer == ranks.rank()) continue;
          ranks.send(mine.get(half), peer);
          ranks.receive(whole.chunk(peer, half), peer);
        }
      }
    }

    @Override
    public void close() {
      whole.close();
      copies.forEach(DeviceTensor::close);
    }
  }
}
