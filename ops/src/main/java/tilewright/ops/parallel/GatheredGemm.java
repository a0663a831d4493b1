package tilewright.ops.parallel;

import java.util.ArrayList;
import java.util.List;
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
  private record Coming(int rank, DeviceTensor rows, Work work) {}

  DeviceTensor run() {
    ranks.agree("all-gather of " + a.type().text() + " (" + a.size(0) + "," + a.size(1) + "), then GEMM");
    var result = options.into().orElseGet(() -> ops.empty(
        options.output().orElseGet(() -> GemmTypes.usualOutput(b.type())), ranks.size() * a.size(0), b.size(1)));
    try {
      requireRows(result);
      compute(result);
      return result;
    } catch (RuntimeException e) {
      if (options.into().isEmpty()) result.close();
      throw e;
    } finally {
      memory.forEach(DeviceTensor::close);
    }
  }

  private void requireRows(DeviceTensor result) {
    if (result.rank() == 2 && result.size(0) == ranks.size() * a.size(0)) return;
    throw new IllegalArgumentException("the result is " + result + "; needed are " + ranks.size() * a.size(0)
        + " rows, those of all ranks");
  }

  private void compute(DeviceTensor result) {
    var coming = gather();
    multiply(a, ranks.rank(), result);
    for (var part : coming) {
      part.work.join();
      multiply(part.rows, part.rank, result);
    }
  }

  /** Begins to send the rank's rows to all others, and to receive theirs, from the next rank first. */
  private List<Coming> gather() {
    int size = ranks.size();
    var sent = size == 1 || a.isContiguous() ? a : held(ops.contiguous(a));
    var coming = new ArrayList<Coming>();
    for (int i = 1; i < size; i++) {
      int from = (ranks.rank() + i) % size;
      int to = (ranks.rank() + size - i) % size;
      var rows = held(ops.empty(a.type(), a.shape()));
      coming.add(new Coming(from, rows, ranks.start(() -> {
        ranks.send(sent, to);
        ranks.receive(rows, from);
      })));
    }
    return coming;
  }

  private void multiply(DeviceTensor rows, int rank, DeviceTensor result) {
    ops.gemm(rows, b, options.into(result.slice(0, rank * a.size(0), (rank + 1) * a.size(0))));
  }

  private DeviceTensor held(DeviceTensor tensor) {
    memory.add(tensor);
    return tensor;
  }
}
