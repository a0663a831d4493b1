package tilewright.ops.parallel;

import java.util.List;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.collectives.Communicator;

/** A rank's tokens of a sequence. */
record Sequence(ZigZag order, int rank, DeviceTensor q, DeviceTensor k, DeviceTensor v, boolean causal) {
  private static final int MODES = 4;
  private static final int ALL = -1;

  /** @throws IllegalArgumentException where ranks cannot share the work */
  static Sequence of(Communicator ranks, DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options) {
    for (var tensor : List.of(q, k, v)) {
      if (tensor.ops() != ranks.ops()) {
        throw new IllegalArgumentException(tensor + " belongs to other operators than those of rank " + ranks.rank());
      }
      if (tensor.rank() != MODES || tensor.size(1) != q.size(1)) {
        throw new IllegalArgumentException("q " + q + ", k " + k + " and v " + v
            + " do not fit: needed are (B,S,H,D), (B,S,Hk,D) and (B,S,Hk,Dv)");
      }
    }
    if (options.left() != ALL || options.right() > 0) {
      throw new IllegalArgumentException("no window " + options.left() + "," + options.right()
          + " over several devices: causal, or all keys");
    }
    var order = new ZigZag(ranks.size(), Math.toIntExact(Math.multiplyExact(q.size(1), ranks.size())));
    return new Sequence(order, ranks.rank(), q, k, v, options.right() == 0);
  }

  /** Returns the first or second chunk of a tensor of the rank's tokens. */
  DeviceTensor chunk(DeviceTensor tensor, int half) {
    return tensor.slice(1, (long) half * order.chunk(), (half + 1L) * order.chunk());
  }

  /** Returns the state of the rank's first or second chunk of queries. */
  AttentionState chunk(AttentionState state, int half) {
    return new AttentionState(chunk(state.output(), half),
        state.logarithms().slice(2, (long) half * order.chunk(), (half + 1L) * order.chunk()));
  }
}
