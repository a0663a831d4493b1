package tilewright.ops;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;

/** Caches on the first GPU, if it is a Hopper. */
@Tag("gpu")
class GpuCacheTest extends CacheContract {
  private static final int HOPPER = 90;

  @Override
  Ops openOps() {
    if (Gpu.probe() instanceof GpuProbe.Missing(var reason)) assumeTrue(false, reason);
    try (var gpu = Gpu.open(0)) {
      assumeTrue(gpu.properties().capability() == HOPPER, "attention on caches needs a Hopper");
    }
    return Ops.gpu(0);
  }
}
