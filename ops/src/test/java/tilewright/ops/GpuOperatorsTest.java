package tilewright.ops;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;

/** The operators on the first GPU. */
@Tag("gpu")
class GpuOperatorsTest extends OperatorContract {
  @Override
  Ops openOps() {
    if (Gpu.probe() instanceof GpuProbe.Missing(var reason)) assumeTrue(false, reason);
    return Ops.gpu(0);
  }
}
