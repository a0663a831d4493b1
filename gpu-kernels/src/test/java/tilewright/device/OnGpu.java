package tilewright.device;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import tilewright.device.driver.GpuProbe;

/** Tests on this machine's first GPU, which is open meanwhile. */
@Tag("gpu")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnGpu {
  Gpu gpu;

  @BeforeAll
  void open() {
    if (Gpu.probe() instanceof GpuProbe.Missing(var reason)) assumeTrue(false, reason);
    gpu = Gpu.open(0);
  }

  @AfterAll
  void close() {
    if (gpu != null) gpu.close();
  }
}
