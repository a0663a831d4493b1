package tilewright.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import tilewright.device.assembly.Assembler;
import tilewright.device.driver.GpuException;
import tilewright.device.driver.GpuProbe;

class GpuProbeTest {
  private static GpuProbe.Missing missing() {
    var probe = Gpu.probe();
    assumeTrue(probe instanceof GpuProbe.Missing, "this machine has a GPU");
    return (GpuProbe.Missing) probe;
  }

  @Test
  void saysInOneLineWhyThereIsNoGpu() {
    var reason = missing().reason();
    assertFalse(reason.isBlank() || reason.contains("\n"), reason);
  }

  @Test
  void namesTheDriverWhereItIsAbsent() {
    var reason = missing().reason();
    assumeTrue(reason.contains("no CUDA driver"), "this machine has a driver, yet no GPU");
    assertEquals("no CUDA driver (libcuda.so.1)", reason);
  }

  @Test
  void openingRepeatsTheReason() {
    var reason = missing().reason();
    var failure = assertThrows(GpuException.class, () -> Gpu.open(0));
    assertEquals("NO_GPU", failure.result());
    assertTrue(failure.getMessage().contains(reason), failure::getMessage);
  }

  @Test
  void probingTwiceGivesTheSameAnswer() {
    assertEquals(Gpu.probe(), Gpu.probe());
  }

  @Test
  void theMachineReportHasTheAssemblersThatAreFound() {
    assertEquals(Assembler.find().found(), MachineReport.inspect().assemblers());
  }
}
