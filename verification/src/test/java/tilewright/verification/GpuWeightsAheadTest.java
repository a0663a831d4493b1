package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.DeviceMemory;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;
import tilewright.verification.cases.Buffers;

/** Launches that read what the one before wrote, and copy their weights while it ends. */
@Tag("gpu")
class GpuWeightsAheadTest {
  private static final int SIZE = 4096;
  private static final int LAUNCHES = 60;

  @ParameterizedTest
  @ValueSource(ints = {1, 16, 64})
  void aChainHasTheBitsOfOneWhoseLaunchesAreWaitedFor(int m) {
    if (Gpu.probe() instanceof GpuProbe.Missing(var reason)) assumeTrue(false, reason);
    try (var gpu = Gpu.open(0)) {
      assumeTrue(gpu.properties().capability() == 90, "the Hopper GEMM runs on compute capability 9.0");
      assertArrayEquals(chain(gpu, m, true), chain(gpu, m, false));
    }
  }

  private static byte[] chain(Gpu gpu, int m, boolean waits) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, SIZE, SIZE, 1, "TN")
        .scaled((float) (1 / Math.sqrt(SIZE)), 0);
    var launch = Sm90Gemms.prepare(problem, Sm90Gemms.configureWeightsAhead(problem));
    long bytes = (long) m * SIZE * ElementType.BF16.bytes();
    try (var stream = gpu.stream(); var arena = Arena.ofConfined(); var x = gpu.allocate(bytes);
        var y = gpu.allocate(bytes); var weights = gpu.allocate(SIZE * (long) SIZE * ElementType.BF16.bytes())) {
      x.copyFrom(Buffers.normal(ElementType.BF16, (long) m * SIZE, 1));
      weights.copyFrom(Buffers.normal(ElementType.BF16, (long) SIZE * SIZE, 2));
      var steps = List.of(buffers(x, weights, y), buffers(y, weights, x)).stream()
          .map(buffers -> gpu.bind(launch, buffers)).toList();
      for (int i = 0; i < LAUNCHES; i++) {
        steps.get(i % 2).launch(stream);
        if (waits) stream.synchronize();
      }
      stream.synchronize();
      var result = arena.allocate(bytes);
      x.copyTo(result);
      return result.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static Map<String, DeviceMemory> buffers(DeviceMemory a, DeviceMemory b, DeviceMemory c) {
    return Map.of("A", a, "B", b, "C", c);
  }
}
