package tilewright.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.device.cubin.CubinCache;
import tilewright.kernels.VectorAdd;

/** From a prepared launch to the driver. */
class PreparedLaunchTest {
  private static final int N = 5000;

  private final FakeDriver driver = new FakeDriver(4);

  @TempDir Path folder;

  @Test
  void aPreparedLaunchIsBoundToMemoryByName() {
    try (var gpu = driver.open(new CubinCache(folder)); var x = gpu.allocate(4 * N); var y = gpu.allocate(4 * N);
        var z = gpu.allocate(4 * N)) {
      gpu.bind(VectorAdd.prepare(N), Map.of("X", x, "Y", y, "Z", z)).launch(gpu.stream());
      var seen = driver.launches.getFirst();
      assertEquals(List.of(x.address(), y.address(), z.address()),
          List.of(seen.arguments().get(0), seen.arguments().get(2), seen.arguments().get(3)));
      assertEquals(List.of(Math.ceilDiv(N, 1024), 1, 1), seen.dimensions().subList(0, 3));
    }
  }

  @Test
  void memoryThatIsMissingIsNamed() {
    try (var gpu = driver.open(new CubinCache(folder)); var x = gpu.allocate(4 * N)) {
      var failure = assertThrows(IllegalArgumentException.class,
          () -> gpu.bind(VectorAdd.prepare(N), Map.of("X", x, "Y", x)));
      assertTrue(failure.getMessage().contains("needs memory 'Z'"), failure::getMessage);
    }
  }
}
