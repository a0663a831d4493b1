package tilewright.verification.peer;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.device.BoundKernel;
import tilewright.device.DeviceMemory;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.device.driver.GpuProbe;

/** The exchanges among the GPUs of this machine, which access each other's memory: the bits of their definitions. */
@Tag("gpu")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GpuPeerKernelsTest {
  private static final int MOST_GPUS = 8;
  private static final int LAUNCHES = 100;
  private static final int BLOCKS = 2;

  private final List<Gpu> gpus = new ArrayList<>();
  private final List<Stream> streams = new ArrayList<>();

  @BeforeAll
  void open() {
    int count = Gpu.probe() instanceof GpuProbe.Available(_, var all) ? Math.min(all.size(), MOST_GPUS) : 0;
    assumeTrue(count > 1, "too few GPUs");
    for (int i = 0; i < count; i++) gpus.add(Gpu.open(i));
    for (var gpu : gpus) {
      streams.add(gpu.independentStream(0));
      for (var other : gpus) {
        if (other != gpu) assumeTrue(gpu.enablePeer(other), () -> gpu + " cannot reach " + other);
      }
    }
  }

  @AfterAll
  void close() {
    gpus.forEach(Gpu::close);
  }

  /** A flag that never comes is a kernel that never ends: the test fails then, and the process has to be ended. */
  @ParameterizedTest
  @EnumSource(Exchanges.class)
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void everyGpuHasTheBitsOfTheDefinitionLaunchAfterLaunch(Exchanges kind) {
    var exchange = kind.of(gpus.size(), BLOCKS);
    Map<String, DeviceMemory> memory = new HashMap<>();
    for (var m : exchange.launches().memory()) {
      var there = gpus.get(m.rank()).allocate(Math.max(1, m.bytes()));
      there.copyFrom(exchange.buffers().get(m.name()));
      memory.put(m.name(), there);
    }
    var kernels = new ArrayList<BoundKernel>();
    for (int rank = 0; rank < gpus.size(); rank++) {
      kernels.add(gpus.get(rank).bind(exchange.launches().launches().get(rank), memory));
    }
    for (int launch = 0; launch < LAUNCHES; launch++) {
      for (int rank = 0; rank < gpus.size(); rank++) kernels.get(rank).launch(streams.get(rank));
    }
    streams.forEach(Stream::synchronize);
    memory.forEach((name, there) -> there.copyTo(exchange.buffers().get(name)));
    assertTrue(exchange.isRight());
    assertTrue(exchange.isReady());
    memory.values().forEach(DeviceMemory::close);
  }
}
