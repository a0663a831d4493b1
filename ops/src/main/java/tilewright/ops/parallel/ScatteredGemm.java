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

/**
 * A rank's rows of the sum of all ranks' products. The sum of each rank's rows goes round: the rank behind its owner
 * begins it, each adds its product in the GEMM's epilogue, and the owner adds the last. Rows are cut into two halves,
 * so that one is sent while the product of the other is computed.
 */
final class ScatteredGemm {
  /** Rows of a GEMM's tile, at which halves are cut. */
  private static final int TILE = 128;

  private final Communicator ranks;
  private final Ops ops;
  private final DeviceTensor a;
  private final DeviceTensor b;
  private final GemmOptions options;
  private final GemmOptions product;
  private final long rows;
  private final List<DeviceTensor> memory = new ArrayList<>();

  ScatteredGemm(Communicator ranks, DeviceTensor a, DeviceTensor b, GemmOptions options) {
    this.ranks = ranks;
    this.ops = ranks.ops();
    this.a = a;
    this.b = b;
    this.options = options;
    this.product = GemmOptions.of().alpha(options.alpha()).accumulator(options.accumulator());
    this.rows = a.size(0) / ranks.size();
  }

  /** Half of each rank's rows, its sum that is sent and the one that comes, and when both are done. */
  private final class Half {
    private final long begin;
    private final long end;
    private final Optional<DeviceTensor> sent;
    private final Optional<DeviceTensor> received;
    private Work work = () -> {};

    Half(DeviceTensor result, long begin, long end) {
      this.begin = begin;
      this.end = end;
      sent = room(result);
      received = room(result);
    }

    private Optional<DeviceTensor> room(DeviceTensor result) {
      if (ranks.size() == 1) return Optional.empty();
      var room = ops.empty(result.type(), end - begin, result.size(1));
      memory.add(room);
      return Optional.of(room);
    }

    /** Computes the sum of a rank's rows as far as this rank knows it. */
    void add(int step, int owner, DeviceTensor into, GemmOptions base) {
      work.join();
      var part = step == 0 ? base : base.plus(1, received.orElseThrow());
      ops.gemm(a.slice(0, owner * rows + begin, owner * rows + end), b, part.into(into));
    }

    void pass() {
      work = ranks.start(() -> {
        ranks.send(sent.orElseThrow(), (ranks.rank() + 1) % ranks.size());
        ranks.receive(received.orElseThrow(), (ranks.rank() + ranks.size() - 1) % ranks.size());
      });
    }
  }

  DeviceTensor run() {
    var type = options.output().orElseGet(() -> GemmTypes.usualOutput(b.type()));
    ranks.agree("GEMM, then reduce-scatter of " + type.text() + " (" + a.size(0) + "," + b.size(1) + ")");
    return GemmResult.of(options, () -> ops.empty(type, rows, b.size(1)), this::compute, memory);
  }

  private void requireShape(DeviceTensor result) {
    if (result.rank() == 2 && result.size(0) == rows && result.size(1) == b.size(1)) return;
    throw new IllegalArgumentException("the result is " + result + "; needed are the rank's " + rows + " rows of "
        + b.size(1));
  }

  private void compute(DeviceTensor result) {
    requireShape(result);
    long cut = Math.min(rows, Math.ceilDiv(rows / 2, TILE) * TILE);
    var halves = cut == rows || cut == 0 ? List.of(new Half(result, 0, rows))
        : List.of(new Half(result, 0, cut), new Half(result, cut, rows));
    int last = ranks.size() - 1;
    for (int step = 0; step < last; step++) {
      int owner = (ranks.rank() + 2 * ranks.size() - 1 - step) % ranks.size();
      for (var half : halves) {
        half.add(step, owner, half.sent.orElseThrow(), product);
        half.pass();
      }
    }
    for (var half : halves) half.add(last, ranks.rank(), result.slice(0, half.begin, half.end), options);
  }
}
