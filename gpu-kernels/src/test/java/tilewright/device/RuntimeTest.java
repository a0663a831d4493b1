package tilewright.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.device.cubin.CubinCache;
import tilewright.device.driver.GpuException;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/** The runtime over a driver without a device. */
class RuntimeTest {
  private static final LaunchShape SHAPE = new LaunchShape(Dim3.of(6), Dim3.of(128), Dim3.ONE, 512);

  private final FakeDriver driver = new FakeDriver(2);

  @TempDir Path folder;
  private Gpu gpu;

  @BeforeEach
  void open() {
    gpu = driver.open(new CubinCache(folder));
  }

  @AfterEach
  void nothingStaysOpen() {
    gpu.close();
    assertEquals(Map.of(), driver.open);
  }

  private BoundKernel kernel(LaunchShape shape, KernelArgument... arguments) {
    return gpu.kernel("ptx", "k").bind(shape, List.of(arguments));
  }

  @Test
  void aLaunchReachesTheDriverAsItWasBound() {
    var stream = gpu.stream();
    var memory = gpu.allocate(64);
    kernel(SHAPE, new KernelArgument.Address(memory, 16), KernelArgument.u64(7)).launch(stream);
    assertEquals(List.of(new FakeDriver.SeenLaunch(77, List.of(6, 1, 1, 128, 1, 1), 512, stream.handle(), List.of(),
        List.of(memory.address() + 16, 7L))), driver.launches);
  }

  @Test
  void clusterAndFeaturesAreAttributesOfTheLaunch() {
    var shape = new LaunchShape(Dim3.of(6), Dim3.of(128), Dim3.of(3), 0).with(LaunchFeature.PROGRAMMATIC);
    kernel(shape, KernelArgument.u64(1), KernelArgument.u64(2)).launch(gpu.stream());
    assertEquals(List.of(4L, 3L, 6L, 1L), driver.launches.getFirst().attributes());
  }

  @Test
  void anArgumentCanChangeBetweenLaunches() {
    var stream = gpu.stream();
    var kernel = kernel(SHAPE, KernelArgument.u64(1), KernelArgument.u64(2));
    kernel.launch(stream);
    kernel.set(1, KernelArgument.u64(9));
    kernel.launch(stream);
    assertEquals(List.of(List.of(1L, 2L), List.of(1L, 9L)),
        driver.launches.stream().map(FakeDriver.SeenLaunch::arguments).toList());
    assertThrows(IllegalArgumentException.class, () -> kernel.set(0, KernelArgument.u32(3)));
  }

  @Test
  void memoryThatAnArgumentNoLongerNamesMayBeClosed() {
    var stream = gpu.stream();
    var old = gpu.allocate(8);
    var kernel = kernel(SHAPE, KernelArgument.of(old), KernelArgument.u64(2));
    kernel.set(0, KernelArgument.u64(1));
    old.close();
    kernel.launch(stream);
    assertEquals(1, driver.launches.size());
  }

  @Test
  void aCooperativeGridMustFitTheDevice() {
    // Two blocks on each of four SMs.
    kernel(SHAPE.with(LaunchFeature.COOPERATIVE), KernelArgument.u64(1), KernelArgument.u64(2)).launch(gpu.stream());
    assertEquals(List.of(2L, 1L), driver.launches.getFirst().attributes());
    var nine = LaunchShape.of(Dim3.of(9), Dim3.of(128)).with(LaunchFeature.COOPERATIVE);
    var failure = assertThrows(GpuException.class, () -> kernel(nine, KernelArgument.u64(1), KernelArgument.u64(2)));
    assertTrue(failure.getMessage().contains("room for 8"), failure::getMessage);
  }

  @Test
  void aRefusedLaunchNamesCallResultAndKernel() {
    var wide = LaunchShape.of(Dim3.ONE, Dim3.of(2048));
    var kernel = kernel(wide, KernelArgument.u64(1), KernelArgument.u64(2));
    var failure = assertThrows(GpuException.class, () -> kernel.launch(gpu.stream()));
    assertEquals("cuLaunchKernelEx", failure.call());
    assertEquals("CUDA_ERROR_1", failure.result());
    assertTrue(failure.getMessage().contains("kernel 'k', grid"), failure::getMessage);
  }

  @Test
  void aLaunchWithMoreSharedMemoryStaysBoundBesideOneWithLess() {
    var module = gpu.load("ptx");
    var launches = List.of(100 << 10, 60 << 10).stream().map(bytes -> module.function("k").bind(
        new LaunchShape(Dim3.ONE, Dim3.of(32), Dim3.ONE, bytes),
        List.of(KernelArgument.u64(1), KernelArgument.u64(2)))).toList();
    launches.forEach(launch -> launch.launch(gpu.stream()));
    assertEquals(List.of(100 << 10, 60 << 10), driver.launches.stream().map(l -> l.sharedBytes()).toList());
  }

  @Test
  void whatALaunchNeedsMustBeOpen() {
    var stream = gpu.stream();
    var memory = gpu.allocate(64);
    var kernel = kernel(SHAPE, KernelArgument.of(memory), KernelArgument.u64(0));
    memory.close();
    assertThrows(IllegalStateException.class, () -> kernel.launch(stream));
    stream.close();
    assertThrows(IllegalStateException.class, () -> kernel.launch(stream));
    assertEquals(List.of(), driver.launches);
  }

  /** The device says that it is of compute capability 9.0. */
  @ParameterizedTest
  @CsvSource({"sm_80, true", "sm_89, true", "sm_90a, true", "sm_100, false", "sm_100a, false", "sm_120a, false"})
  void aKernelForAnotherGpuIsRefusedBeforeTheDriverSeesIt(String target, boolean runs) {
    var ptx = ".version 8.7\n.target " + target + "\n.address_size 64\n";
    if (runs) {
      gpu.load(ptx);
      return;
    }
    var failure = assertThrows(GpuException.class, () -> gpu.load(ptx));
    assertEquals("cuModuleLoadDataEx: CUDA_ERROR_NO_BINARY_FOR_GPU: the kernel needs " + target
        + ", GPU 0 (Fake) is sm_90", failure.getMessage());
    assertFalse(driver.calls.containsKey("cuLinkAddData_v2"));
  }

  @Test
  void aModuleIsLoadedOnceForAllItsKernels() {
    gpu.kernel("ptx", "k");
    gpu.kernel("ptx", "k");
    gpu.kernel("ptx", "other");
    assertEquals(1, driver.calls.get("cuModuleLoadDataEx"));
    gpu.kernel("ptx2", "k");
    assertEquals(2, driver.calls.get("cuModuleLoadDataEx"));
  }

  @Test
  void anotherProcessFindsTheMachineCodeInTheFolder() {
    gpu.kernel("ptx", "k");
    var second = new FakeDriver(2);
    try (var other = second.open(new CubinCache(folder))) {
      other.kernel("ptx", "k");
    }
    assertEquals(1, driver.calls.get("cuLinkComplete"));
    assertFalse(second.calls.containsKey("cuLinkComplete"));
  }

  /** The linker's compiler would ignore that, and spill. */
  @Test
  void aKernelThatMovesRegistersBetweenWarpgroupsIsNotLinked() {
    gpu.kernel("setmaxnreg", "k");
    assertFalse(driver.calls.containsKey("cuLinkComplete"));
    assertEquals(1, driver.calls.get("cuModuleLoadDataEx"));
  }

  @Test
  void aGraphReplaysWhatWasCaptured() {
    var stream = gpu.stream();
    var memory = gpu.allocate(8);
    var kernel = kernel(SHAPE, KernelArgument.of(memory), KernelArgument.u64(5));
    var graph = stream.capture(() -> {
      memory.fill((byte) 3, stream);
      kernel.launch(stream);
      kernel.launch(stream);
    });
    assertEquals(0, driver.launches.size());
    graph.launch(stream);
    graph.launch(stream);
    assertEquals(4, driver.launches.size());
    var bytes = new byte[8];
    memory.copyTo(MemorySegment.ofArray(bytes));
    assertArrayEquals(new byte[] {3, 3, 3, 3, 3, 3, 3, 3}, bytes);
  }

  @Test
  void aGraphIsNotReplayedWithoutWhatItUses() {
    var stream = gpu.stream();
    var memory = gpu.allocate(8);
    var graph = stream.capture(() -> memory.fill((byte) 3, stream));
    memory.close();
    var failure = assertThrows(IllegalStateException.class, () -> graph.launch(stream));
    assertTrue(failure.getMessage().contains("of 8 bytes is closed"), failure::getMessage);
  }

  @Test
  void whatAJoinedStreamUsesIsTheGraphsToo() {
    var stream = gpu.stream();
    var side = gpu.stream();
    var memory = gpu.allocate(8);
    var after = gpu.allocate(8);
    var graph = stream.capture(() -> {
      try (var fork = gpu.event(); var join = gpu.event()) {
        fork.record(stream);
        side.waitFor(fork);
        memory.fill((byte) 3, side);
        join.record(side);
        stream.waitFor(join);
      }
    });
    graph.launch(stream);
    after.fill((byte) 4, side);
    after.close();
    graph.launch(stream);
    memory.close();
    assertThrows(IllegalStateException.class, () -> graph.launch(stream));
  }

  @Test
  void aCaptureThatFailsLeavesTheStreamUsable() {
    var stream = gpu.stream();
    assertThrows(ArithmeticException.class, () -> stream.capture(() -> {
      throw new ArithmeticException();
    }));
    assertThrows(IllegalStateException.class, () -> stream.capture(() -> stream.capture(() -> {})));
    stream.capture(() -> {}).launch(stream);
  }

  @Test
  void aFillIsOverBeforeAnIndependentStreamLooks() {
    var memory = gpu.allocate(1);
    var back = gpu.allocateHost(1);
    var stream = gpu.independentStream(0);
    memory.fill((byte) 7);
    memory.copyTo(back, stream);
    assertEquals(7, back.segment().get(ValueLayout.JAVA_BYTE, 0));
  }

  @Test
  void whatIsOpenedWhileTheGpuClosesIsReleased() {
    driver.whileAllocating = gpu::close;
    assertThrows(IllegalStateException.class, () -> gpu.allocate(8));
  }

  @Test
  void pinnedMemoryTravelsByAStream() {
    var stream = gpu.stream();
    var host = gpu.allocateHost(16);
    var back = gpu.allocateHost(16);
    var a = gpu.allocate(16);
    var b = gpu.allocate(16);
    for (int i = 0; i < 16; i++) host.segment().set(ValueLayout.JAVA_BYTE, i, (byte) i);
    a.copyFrom(host, stream);
    b.copyFrom(a, stream);
    b.copyTo(back, stream);
    assertEquals(-1, host.segment().mismatch(back.segment()));
    var segment = host.segment();
    host.close();
    assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
    assertThrows(IllegalStateException.class, () -> a.copyFrom(host, stream));
  }

  @Test
  void copiesStayInsideTheMemory() {
    var stream = gpu.stream();
    var host = gpu.allocateHost(17);
    var memory = gpu.allocate(16);
    assertThrows(IndexOutOfBoundsException.class, () -> memory.copyFrom(host, stream));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.copyTo(host, stream));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.copyFrom(gpu.allocate(17), stream));
  }

  @Test
  void aPoolsMemoryGoesBackByItsStreamWhileThatIsOpen() {
    var stream = gpu.stream();
    var pool = gpu.memoryPool(1 << 20);
    pool.allocate(64, stream).close();
    assertEquals(1, driver.calls.get("cuMemFreeAsync"));
    var late = pool.allocate(64, stream);
    stream.close();
    late.close();
    assertEquals(1, driver.calls.get("cuMemFree_v2"));
    assertThrows(IllegalStateException.class, () -> pool.allocate(64, stream));
  }

  @Test
  void foreignMemoryAndStreamsStayOpen() {
    try (var other = driver.open(new CubinCache(folder))) {
      var memory = other.allocate(32);
      var stream = other.stream();
      try (var here = gpu.foreignMemory(memory.address(), 32); var queue = gpu.foreignStream(stream.handle())) {
        here.fill((byte) 9, queue);
      }
      var bytes = new byte[32];
      memory.copyTo(MemorySegment.ofArray(bytes));
      assertEquals(9, bytes[31]);
    }
  }

  @Test
  void closingTheGpuClosesAllElse() {
    var stream = gpu.stream();
    var memory = gpu.memoryPool(0).allocate(8, stream);
    gpu.close();
    assertThrows(IllegalStateException.class, memory::address);
    assertThrows(IllegalStateException.class, stream::synchronize);
    assertThrows(IllegalStateException.class, gpu::stream);
    assertThrows(IllegalStateException.class, () -> gpu.kernel("ptx", "k"));
  }

  @Test
  void cyclesLeaveNothingBehind() {
    int before = driver.open.size();
    try (var stream = gpu.stream(); var pool = gpu.memoryPool(0)) {
      for (int i = 0; i < 100; i++) {
        try (var memory = gpu.allocate(8); var pooled = pool.allocate(8, stream); var event = gpu.event();
            var module = gpu.load("ptx")) {
          module.function("k").launch(SHAPE, stream, KernelArgument.of(memory), KernelArgument.of(pooled));
          event.record(stream);
        }
      }
    }
    assertEquals(before, driver.open.size());
  }
}
