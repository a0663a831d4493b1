package tilewright.ops.parallel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.kernels.GemmTypes;
import tilewright.ops.DeviceTensor;
import tilewright.ops.GemmOptions;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.Work;

/** The product of the rows of all ranks: of the rank's own while those of the others come, then of each that came. */
final class GatheredGemm {
  private final Communicator ranks;
  private final Ops ops;
  private final DeviceTensor a;
  private final DeviceTensor b;
  private final GemmOptions options;
  private final List<DeviceTensor> memory = new ArrayList<>();

  GatheredGemm(Communicator ranks, DeviceTensor a, DeviceTensor b, GemmOptions options) {
    this.ranks = ranks;
    this.ops = ranks.ops();
    this.a = a;
    this.b = b;
    this.options = options;
  }

  /** Rows that come from another rank. */
  private record Coming(DeviceTensor rows, Work work) {}

  DeviceTensor run() {
    ranks.agree("all-gather of " + a.type().text() + " (" + a.size(0) + "," + a.size(1) + "), then GEMM");
    return GemmResult.of(options, () -> ops.empty(options.output().orElseGet(() -> GemmTypes.usualOutput(b.type())),
        ranks.size() * a.size(0), b.size(1)), this::compute, memory);
  }

  private void requireRows(DeviceTensor result) {
    if (result.rank() == 2 && result.size(0) == ranks.size() * a.size(0)) return;
    throw new IllegalArgumentException("the result is " + result + "; needed are " + ranks.size() * a.size(0)
        + " rows, those of all ranks");
  }

  private void compute(DeviceTensor result) {
    requireRows(result);
    int size = ranks.size();
    var sent = size == 1 || a.isContiguous() ? a : held(ops.contiguous(a));
    var rows = a;
    for (int i = 0; i < size; i++) {
      // One step at a time: each rank then sends to one other, and receives from one other.
      var coming = i + 1 < size ? Optional.of(receive(sent, i + 1)) : Optional.<Coming>empty();
      multiply(rows, (ranks.rank() + i) % size, result);
      if (coming.isEmpty()) return;
      coming.get().work.join();
      rows = coming.get().rows;
    }
  }

  /** Begins to receive the rows of the rank at a distance, and to send its own to the one at that distance before. */
  private Coming receive(DeviceTensor sent, int distance) {
    int size = ranks.size();
    var rows = held(ops.empty(a.type(), a.shape()));
    return new Coming(rows, ranks.start(() -> {
      ranks.send(sent, (ranks.rank() + size - distance) % size);
      ranks.receive(rows, (ranks.rank() + distance) % size);
    }));
  }

  private void multiply(DeviceTensor rows, int rank, DeviceTensor result) {
    ops.gemm(rows, b, options.into(result.slice(0, rank * a.size(0), (rank + 1) * a.size(0))));
  }

  private DeviceTensor held(DeviceTensor tensor) {
    memory.add(tensor);
    return tensor;
  }
}
