package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;

@Tag("gpu")
class LaunchCostTest {
  @BeforeEach
  void needsAGpu() {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Available, "no GPU");
  }

  @Test
  void aLaunchMakesNoGarbage() {
    var cost = LaunchCost.measure(20_000, "");
    // The waits leave a tenth of a byte a launch; a launch that allocated anything would leave 16 bytes each.
    assertTrue(cost.bytesPerLaunch() < 8, cost::toString);
  }

  @Test
  void aShortSoakIsSound() {
    var soak = Soak.run(2, "", _ -> {});
    assertTrue(soak.wrong() == 0 && soak.cycles() > 10, soak::toString);
  }
}
