package llama;

import java.util.Optional;
import tilewright.ops.DeviceTensor;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.Reduction;

/**
 * One device's share of a model: its part of the heads, of the feed-forward's columns and of the vocabulary.
 *
 * @param ranks the way to the other devices; absent where one has the whole model
 */
record Share(Optional<Communicator> ranks) {
  int rank() {
    return ranks.map(Communicator::rank).orElse(0);
  }

  int count() {
    return ranks.map(Communicator::size).orElse(1);
  }

  /** Returns this device's part of a mode: a view. */
  DeviceTensor part(DeviceTensor whole, int mode) {
    long size = whole.size(mode) / count();
    return whole.slice(mode, rank() * size, (rank() + 1) * size);
  }

  /** Returns this device's part of a mode, and gives back the rest. */
  DeviceTensor keep(DeviceTensor whole, int mode) {
    if (ranks.isEmpty()) return whole;
    try (whole) {
      return whole.ops().contiguous(part(whole, mode));
    }
  }

  /** Adds up the tensors of all devices, in place. */
  DeviceTensor sum(DeviceTensor x) {
    ranks.ifPresent(all -> all.allReduce(x, x, Reduction.SUM));
    return x;
  }

  /** Joins the parts (…, N) of all devices, which it closes: (…, devices · N). */
  DeviceTensor join(DeviceTensor part) {
    if (ranks.isEmpty()) return part;
    long[] shape = part.shape();
    long width = shape[shape.length - 1];
    long rows = part.elements() / width;
    shape[shape.length - 1] *= count();
    var ops = part.ops();
    try (part; var parts = ops.empty(part.type(), count(), rows, width)) {
      ranks.get().allGather(part, parts);
      var whole = ops.empty(part.type(), shape);
      ops.copy(parts.transpose(0, 1), whole.reshape(rows, count(), width));
      return whole;
    }
  }
}
