package tilewright.ops.parallel;

import java.util.ArrayList;
import java.util.List;
import tilewright.ops.AttentionOptions;
import tilewright.ops.DeviceTensor;
import tilewright.ops.collectives.Communicator;

/** Attention on all keys and values, which ranks send each other, chunk by chunk to its place. */
final class GatheredAttention {
  private GatheredAttention() {}

  static void run(Sequence s, Communicator ranks, AttentionOptions options, DeviceTensor output) {
    try (var k = Gathered.of(s.order(), s.k()); var v = Gathered.of(s.order(), s.v())) {
      ranks.group(() -> {
        k.exchange(ranks);
        v.exchange(ranks);
      });
      var ops = ranks.ops();
      if (!s.causal()) {
        ops.attention(s.q(), k.view(), v.view(), options, output);
        return;
      }
      for (int half = 0; half < 2; half++) {
        long keys = (long) s.order().chunk() * ((half == 0 ? s.rank() : s.order().second(s.rank())) + 1);
        ops.attention(s.chunk(s.q(), half), k.view().slice(1, 0, keys), v.view().slice(1, 0, keys), options,
            s.chunk(output, half));
      }
    }
  }

  /**
   * A tensor of all tokens in their order.
   *
   * @param whole (S,B,Hk,D), so that chunks lie without gaps
   * @param mine the rank's two chunks (S,B,Hk,D)
   * @param copies of chunks that had gaps
   */
  private record Gathered(ZigZag order, DeviceTensor whole, List<DeviceTensor> mine, List<DeviceTensor> copies)
      implements AutoCloseable {
    static Gathered of(ZigZag order, DeviceTensor part) {
      var mine = new ArrayList<DeviceTensor>();
      var copies = new ArrayList<DeviceTensor>();
      for (int half = 0; half < 2; half++) {
        var chunk = part.slice(1, (long) half * order.chunk(), (half + 1L) * order.chunk()).transpose(0, 1);
        if (!chunk.isContiguous()) {
          chunk = part.ops().contiguous(chunk);
          copies.add(chunk);
        }
        mine.add(chunk);
      }
      var whole = part.ops().empty(part.type(), order.tokens(), part.size(0), part.size(2), part.size(3));
      return new Gathered(order, whole, mine, copies);
    }

    /** All tokens (B,S,Hk,D). */
    DeviceTensor view() {
      return whole.transpose(0, 1);
    }

    private DeviceTensor place(int rank, int half) {
      long chunk = half == 0 ? rank : order.second(rank);
      return whole.slice(0, chunk * order.chunk(), (chunk + 1) * order.chunk());
    }

    void exchange(Communicator ranks) {
      for (int half = 0; half < 2; half++) {
        whole.ops().copy(mine.get(half), place(ranks.rank(), half));
        for (int peer = 0; peer < ranks.size(); peer++) {
          if (peer == ranks.rank()) continue;
          ranks.send(mine.get(half), peer);
          ranks.receive(place(peer, half), peer);
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
