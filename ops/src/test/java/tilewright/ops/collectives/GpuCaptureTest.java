package tilewright.ops.collectives;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.ops.Ops;

/** Graphs of operators and NCCL's transfers on two GPUs of one process. */
@Tag("gpu")
class GpuCaptureTest extends CaptureContract {
  private final List<Ops> devices = new ArrayList<>();
  private final List<Communicator> communicators = new ArrayList<>();

  GpuCaptureTest() {
    super(2, CollectiveOptions.of().timeout(Duration.ofSeconds(5)));
  }

  @Override
  List<Communicator> open(int size, CollectiveOptions options) {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Available(_, var all) && all.size() > 1, "fewer than two GPUs");
    var opened = IntStream.range(0, size).mapToObj(Ops::gpu).toList();
    devices.addAll(opened);
    var ranks = Communicator.among(opened, options);
    communicators.addAll(ranks);
    return ranks;
  }

  @AfterEach
  void close() {
    communicators.forEach(Communicator::close);
    devices.forEach(Ops::close);
  }
}
