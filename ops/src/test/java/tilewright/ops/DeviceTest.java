package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuException;
import tilewright.device.driver.GpuProbe;
import tilewright.kernels.VectorAdd;

/** The same call on either device. */
class DeviceTest {
  private static KernelCall sum(Device device) {
    var x = new float[1001];
    for (int i = 0; i < x.length; i++) x[i] = i / 3f;
    return device.kernel(new VectorAdd()).in("X", x).in("Y", x).out("Z");
  }

  @Test
  void withoutAGpuTheReasonIsSaid() {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Missing, "there is a GPU");
    var reason = ((GpuProbe.Missing) Gpu.probe()).reason();
    var message = assertThrows(GpuException.class, sum(Device.gpu())::run).getMessage();
    assertTrue(message.contains(reason), message);
  }

  @Test
  @Tag("gpu")
  void aGpuGivesTheBitsOfTheSimulator() {
    if (Gpu.probe() instanceof GpuProbe.Missing(var reason)) assumeTrue(false, reason);
    var expected = sum(Device.simulator()).run().requireClean().bytes("Z");
    assertArrayEquals(expected, sum(Device.gpu()).run().bytes("Z"));
    try (var gpu = Gpu.open(0)) {
      var run = sum(Device.of(gpu)).run();
      assertArrayEquals(expected, run.bytes("Z"));
      assertEquals("kernel vector_add on " + gpu + ": no findings", run.report());
    }
  }
}
