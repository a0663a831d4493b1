package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;

/** A CTA has as much shared memory as the simulated GPU's have: NVIDIA's CUDA C++ Programming Guide. */
class SharedMemoryLimitTest {
  private static final String PTX = """
      .version 8.0
      .target sm_80
      .address_size 64
      .extern .shared .align 16 .b8 all[];
      .visible .entry k() { ret; }
      """;

  @ParameterizedTest
  @CsvSource({"80, 166912", "86, 101376", "89, 101376", "90, 232448", "100, 232448", "120, 101376"})
  void aLaunchHasNoMoreThanTheGpu(int architecture, int most) {
    var options = SimulatorOptions.defaults().withArchitecture(architecture);
    Kernels.run(PTX, Dim3.ONE, Dim3.ONE, most, options);
    var refused = assertThrows(IllegalArgumentException.class,
        () -> Kernels.run(PTX, Dim3.ONE, Dim3.ONE, most + 1, options));
    assertTrue(refused.getMessage().endsWith("but a CTA of sm_" + architecture + " has at most " + most),
        refused.getMessage());
  }
}
