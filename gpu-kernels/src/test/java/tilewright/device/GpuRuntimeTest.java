package tilewright.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import tilewright.device.cubin.CompileOptions;
import tilewright.device.driver.GpuException;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/** What {@link RuntimeTest} checks against a fake driver, on a GPU. */
class GpuRuntimeTest extends OnGpu {
  private static final int N = 1 << 16;
  private static final LaunchShape SHAPE = LaunchShape.of(Dim3.of(N / 128), Dim3.of(128));

  /** {@code z = x + y}. */
  private BoundKernel addition(LaunchShape shape, DeviceMemory x, DeviceMemory y, DeviceMemory z) {
    return gpu.kernel(Ptx.VECTOR_ADD, "add").bind(shape, List.of(KernelArgument.of(x), KernelArgument.of(y),
        KernelArgument.of(z), KernelArgument.u32(N)));
  }

  private DeviceMemory ones() {
    var memory = gpu.allocate(4L * N);
    var values = new float[N];
    Arrays.fill(values, 1);
    memory.copyFrom(MemorySegment.ofArray(values));
    return memory;
  }

  private static float[] read(DeviceMemory memory) {
    var values = new float[N];
    memory.copyTo(MemorySegment.ofArray(values));
    return values;
  }

  private static float[] all(float value) {
    var values = new float[N];
    Arrays.fill(values, value);
    return values;
  }

  @Test
  void aGraphRepeatsItsLaunchesInOrder() {
    try (var stream = gpu.independentStream(0); var x = ones(); var y = ones()) {
      var doubling = addition(SHAPE, x, x, x);
      var increment = addition(SHAPE, x, y, x);
      try (var graph = stream.capture(() -> {
        doubling.launch(stream);
        increment.launch(stream);
      })) {
        graph.launch(stream);
        graph.launch(stream);
        stream.synchronize();
        assertArrayEquals(all(7), read(x));
      }
    }
  }

  @Test
  void aCaptureCrossesStreamsByEvents() {
    try (var stream = gpu.independentStream(0); var side = gpu.independentStream(0);
        var x = ones(); var y = ones(); var z = ones()) {
      var beside = addition(SHAPE, y, y, y);
      var after = addition(SHAPE, x, y, z);
      try (var graph = stream.capture(() -> {
        try (var fork = gpu.event(); var join = gpu.event()) {
          fork.record(stream);
          side.waitFor(fork);
          beside.launch(side);
          join.record(side);
          stream.waitFor(join);
        }
        after.launch(stream);
      })) {
        graph.launch(stream);
        stream.synchronize();
      }
      assertArrayEquals(all(3), read(z));
    }
  }

  @Test
  void pinnedMemoryTravelsWhileTheHostGoesOn() {
    try (var stream = gpu.independentStream(0);
        var host = gpu.allocateHost(4L * N); var back = gpu.allocateHost(4L * N);
        var x = gpu.allocate(4L * N); var z = gpu.allocate(4L * N)) {
      for (int i = 0; i < N; i++) host.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
      x.copyFrom(host, stream);
      addition(SHAPE, x, x, z).launch(stream);
      z.copyTo(back, stream);
      stream.synchronize();
      assertTrue(stream.isIdle());
      for (int i = 0; i < N; i++) assertEquals(2f * i, back.segment().getAtIndex(ValueLayout.JAVA_FLOAT, i));
    }
  }

  @Test
  void aPoolReusesItsMemoryAndGivesItBack() {
    try (var stream = gpu.independentStream(0); var pool = gpu.memoryPool(1L << 30)) {
      long first;
      try (var memory = pool.allocate(4L * N, stream)) {
        first = memory.address();
        memory.fill((byte) 1, stream);
        stream.synchronize();
        assertTrue(pool.usedBytes() >= 4L * N);
      }
      try (var memory = pool.allocate(4L * N, stream)) {
        assertEquals(first, memory.address());
      }
      stream.synchronize();
      assertEquals(0, pool.usedBytes());
      assertTrue(pool.reservedBytes() > 0);
      pool.trimTo(0);
      assertEquals(0, pool.reservedBytes());
    }
  }

  @Test
  void foreignMemoryAndStreamsWork() {
    try (var owner = Gpu.open(0); var x = owner.allocate(4L * N); var queue = owner.independentStream(0);
        var seen = gpu.foreignMemory(x.address(), 4L * N); var stream = gpu.foreignStream(queue.handle())) {
      seen.fill((byte) 0, stream);
      addition(SHAPE, seen, seen, seen).launch(stream);
      queue.synchronize();
      assertArrayEquals(all(0), read(x));
    }
  }

  @Test
  void aProgrammaticLaunchMayRunBesideTheOneBefore() {
    assumeTrue(gpu.properties().capability() >= 90, "programmatic dependent launch begins with Hopper");
    try (var stream = gpu.independentStream(0); var x = ones(); var y = ones()) {
      addition(SHAPE, x, x, x).launch(stream);
      addition(SHAPE.with(LaunchFeature.PROGRAMMATIC), y, y, y).launch(stream);
      stream.synchronize();
      assertArrayEquals(all(2), read(x));
      assertArrayEquals(all(2), read(y));
    }
  }

  @Test
  void aCooperativeGridRunsWhereItFits() {
    try (var stream = gpu.stream(); var x = ones()) {
      var function = gpu.kernel(Ptx.VECTOR_ADD, "add");
      int room = function.blocksPerMultiprocessor(SHAPE) * gpu.properties().multiprocessors();
      var fitting = LaunchShape.of(Dim3.of(Math.min(N / 128, room)), Dim3.of(128)).with(LaunchFeature.COOPERATIVE);
      addition(fitting, x, x, x).launch(stream);
      stream.synchronize();
      var tooLarge = LaunchShape.of(Dim3.of(room + 1), Dim3.of(128)).with(LaunchFeature.COOPERATIVE);
      var failure = assertThrows(GpuException.class, () -> addition(tooLarge, x, x, x));
      assertEquals("COOPERATIVE_LAUNCH_TOO_LARGE", failure.result());
    }
  }

  @Test
  void clustersFitSeveralTimes() {
    assumeTrue(gpu.properties().capability() >= 90, "clusters begin with Hopper");
    var shape = new LaunchShape(Dim3.of(8), Dim3.of(32), Dim3.of(4), 0);
    assertTrue(gpu.kernel(Ptx.CLUSTER_RANK, "rank").activeClusters(shape) > 0);
  }

  @Test
  void compileOptionsReachTheCompiler() {
    try (var module = gpu.load(Ptx.VECTOR_ADD, new CompileOptions(OptionalInt.of(16), true))) {
      assertTrue(module.function("add").attributes().registers() <= 16);
    }
  }

  @Test
  void eventsSayWhetherTheyAreReached() {
    try (var stream = gpu.stream(); var event = gpu.event()) {
      event.record(stream);
      event.synchronize();
      assertTrue(event.isReached());
    }
  }
}
