package tilewright.ops.parallel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.ops.Ops;

/** The GPUs of this machine. */
final class GpuDevices {
  private GpuDevices() {}

  /** Returns the first of them; the test is skipped where there are fewer. */
  static List<Ops> open(int size) {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Available(_, var all) && all.size() >= size, "too few GPUs");
    return IntStream.range(0, size).mapToObj(Ops::gpu).toList();
  }
}
