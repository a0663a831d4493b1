package tilewright.ops.parallel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.ops.Ops;

/** Gradients over the GPUs of this machine. */
@Tag("gpu")
class GpuContextParallelGradientsTest extends ContextParallelGradientsTest {
  @Override
  List<Ops> open(int size) {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Available(_, var all) && all.size() >= size, "too few GPUs");
    return IntStream.range(0, size).mapToObj(Ops::gpu).toList();
  }

  @Override
  void close(List<Ops> devices) {
    devices.forEach(Ops::close);
  }
}
