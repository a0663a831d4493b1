package tilewright.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.device.cubin.CompileOptions;
import tilewright.device.cubin.CubinCache;
import tilewright.device.driver.GpuException;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;

class GpuTest extends OnGpu {
  private static final int N = 1000;
  private static final LaunchShape ONE_BLOCK = LaunchShape.of(Dim3.ONE, Dim3.of(32));

  private static float[] ramp(float step, int count) {
    var values = new float[count];
    for (int i = 0; i < count; i++) values[i] = i * step;
    return values;
  }

  /** {@code z = x + y} over {@code count} elements, the result in a buffer of {@code N}. */
  private static Launch addition(float[] z, int count, Dim3 block) {
    return addition(MemorySegment.ofArray(ramp(1, count)), z, count, block);
  }

  private static Launch addition(MemorySegment x, float[] z, int count, Dim3 block) {
    var buffers = Map.of("x", x, "y", MemorySegment.ofArray(ramp(0.5f, count)),
        "z", MemorySegment.ofArray(z));
    return new Launch(Ptx.VECTOR_ADD, "add", Dim3.of((count + 127) / 128), block, Dim3.ONE, 0, buffers,
        List.of(new Argument.Buffer("x"), new Argument.Buffer("y"), new Argument.Buffer("z"), Argument.u32(count)));
  }

  @Test
  void addsVectors() {
    var z = new float[N];
    double milliseconds = gpu.run(addition(z, N, Dim3.of(128)));
    assertArrayEquals(ramp(1.5f, N), z);
    assertTrue(milliseconds > 0, () -> milliseconds + " ms");
  }

  @Test
  void addsVectorsFromTheCachedMachineCode() {
    var first = new float[N];
    var second = new float[N];
    gpu.run(addition(first, N, Dim3.of(128)));
    gpu.run(addition(second, N, Dim3.of(128)));
    assertArrayEquals(first, second);
    assertTrue(CubinCache.ofUser()
        .read(CubinCache.key(Ptx.VECTOR_ADD, gpu.driver().version(), gpu.properties().capability(),
            CompileOptions.DEFAULT)).isPresent());
  }

  @Test
  void readsAndWritesOffHeapSegments() {
    try (var arena = Arena.ofConfined(); var memory = gpu.allocate(4L * N)) {
      var source = arena.allocateFrom(ValueLayout.JAVA_FLOAT, ramp(3, N));
      var target = arena.allocate(4L * N, 4);
      memory.copyFrom(source);
      memory.copyTo(target);
      assertEquals(-1, source.mismatch(target));
    }
  }

  @Test
  void leavesReadOnlyMemoryAlone(@TempDir Path folder) throws IOException {
    var file = Files.write(folder.resolve("x.bin"), new byte[4 * N]);
    try (var arena = Arena.ofConfined(); var channel = FileChannel.open(file)) {
      var x = channel.map(FileChannel.MapMode.READ_ONLY, 0, 4 * N, arena);
      var z = new float[N];
      gpu.run(addition(x, z, N, Dim3.of(128)));
      assertArrayEquals(ramp(0.5f, N), z);
      try (var memory = gpu.allocate(4 * N)) {
        assertThrows(IllegalArgumentException.class, () -> memory.copyTo(x));
      }
    }
  }

  @Test
  void reportsAWriteBehindABuffer() {
    var failure = assertThrows(GpuException.class, () -> gpu.run(addition(new float[N], N + 3, Dim3.of(128))));
    assertEquals("OUT_OF_BOUNDS_WRITE", failure.result());
    var expected = "12 bytes changed outside buffer 'z' of 4000 bytes, the first at offset 4000, the last at 4011";
    assertTrue(failure.getMessage().contains(expected), failure::getMessage);
  }

  @Test
  void namesCallKernelShapeAndArgumentsOfARefusedLaunch() {
    var failure = assertThrows(GpuException.class, () -> gpu.run(addition(new float[N], N, Dim3.of(2048))));
    assertEquals("cuLaunchKernelEx", failure.call());
    assertEquals("CUDA_ERROR_INVALID_VALUE", failure.result());
    for (var part : List.of("kernel 'add'", "2048", "u32 1000")) {
      assertTrue(failure.getMessage().contains(part), failure::getMessage);
    }
  }

  @Test
  void givesTheCompilersLogForWrongPtx() {
    var wrong = Ptx.VECTOR_ADD.replace("add.u64 %rd6,", "addd.u64 %rd6,");
    var failure = assertThrows(GpuException.class, () -> gpu.load(wrong));
    assertTrue(failure.getMessage().contains("line 23"), failure::getMessage);
  }

  @Test
  void namesAKernelThatIsNotThere() {
    try (var module = gpu.load(Ptx.VECTOR_ADD)) {
      var failure = assertThrows(GpuException.class, () -> module.function("subtract"));
      assertEquals("CUDA_ERROR_NOT_FOUND", failure.result());
      assertTrue(failure.getMessage().contains("'subtract'"), failure::getMessage);
    }
  }

  @Test
  void runsClusters() {
    assumeTrue(gpu.properties().capability() >= 90, "clusters begin with Hopper");
    var out = MemorySegment.ofArray(new int[8]);
    gpu.run(new Launch(Ptx.CLUSTER_RANK, "rank", Dim3.of(8), Dim3.of(32), Dim3.of(4), 0, Map.of("out", out),
        List.of(new Argument.Buffer("out"))));
    assertArrayEquals(new int[] {0, 1, 2, 3, 0, 1, 2, 3}, out.toArray(ValueLayout.JAVA_INT));
  }

  @Test
  void runsACooperativeLaunch() {
    var z = new float[N];
    gpu.run(addition(z, N, Dim3.of(128)).with(LaunchFeature.COOPERATIVE));
    assertArrayEquals(ramp(1.5f, N), z);
  }

  @Test
  void grantsAllDynamicSharedMemoryThatTheDeviceHas() {
    int all = gpu.properties().maxSharedBytes();
    var out = MemorySegment.ofArray(new int[1]);
    gpu.run(new Launch(Ptx.DYNAMIC_SHARED, "last", Dim3.ONE, Dim3.ONE, Dim3.ONE, all, Map.of("out", out),
        List.of(new Argument.Buffer("out"), Argument.u32(all - 4))));
    assertEquals(42, out.get(ValueLayout.JAVA_INT, 0));
  }

  @Test
  void keepsDynamicSharedMemoryAlignedBehindStatic() {
    var out = MemorySegment.ofArray(new int[] {-1});
    gpu.run(new Launch(Ptx.ALIGNED_SHARED, "remainder", Dim3.ONE, Dim3.ONE, Dim3.ONE, 2048, Map.of("out", out),
        List.of(new Argument.Buffer("out"))));
    assertEquals(0, out.get(ValueLayout.JAVA_INT, 0));
  }

  @Test
  void saysHowMuchSharedMemoryThereIs() {
    int tooMuch = gpu.properties().maxSharedBytes() + 1;
    try (var module = gpu.load(Ptx.DYNAMIC_SHARED)) {
      var shape = new LaunchShape(Dim3.ONE, Dim3.ONE, Dim3.ONE, tooMuch);
      var failure = assertThrows(GpuException.class, () -> module.function("last").bind(shape, List.of()));
      assertTrue(failure.getMessage().contains(tooMuch + " bytes"), failure::getMessage);
      assertTrue(failure.getMessage().contains("allows " + (tooMuch - 1)), failure::getMessage);
    }
  }

  @Test
  void refusesToUseWhatIsClosed() {
    try (var module = gpu.load(Ptx.VECTOR_ADD); var stream = gpu.stream()) {
      var memory = gpu.allocate(64);
      var kernel = module.function("add").bind(ONE_BLOCK, List.of(KernelArgument.of(memory), KernelArgument.of(memory),
          KernelArgument.of(memory), KernelArgument.u32(0)));
      memory.close();
      assertDoesNotThrow(memory::close);
      var failure = assertThrows(IllegalStateException.class, () -> memory.fill((byte) 0));
      assertTrue(failure.getMessage().endsWith("of 64 bytes is closed"), failure::getMessage);
      assertThrows(IllegalStateException.class, () -> kernel.launch(stream));
    }
  }

  @Test
  void closesWhatWasLeftOpen() {
    var own = Gpu.open(0);
    var memory = own.allocate(64);
    own.close();
    assertThrows(IllegalStateException.class, memory::address);
    assertDoesNotThrow(memory::close);
    assertThrows(IllegalStateException.class, own::stream);
  }

  @Test
  void refusesCopiesBeyondTheEnd() {
    try (var memory = gpu.allocate(64)) {
      assertThrows(IndexOutOfBoundsException.class, () -> memory.copyFrom(MemorySegment.ofArray(new byte[65])));
      assertThrows(IndexOutOfBoundsException.class, () -> memory.copyTo(MemorySegment.ofArray(new byte[8]), 60));
    }
  }

  @Test
  void timesEveryRunAndNumbersThem() {
    var seen = new ArrayList<Integer>();
    try (var module = gpu.load(Ptx.VECTOR_ADD); var stream = gpu.stream(); var memory = gpu.allocate(4L * N)) {
      var argument = KernelArgument.of(memory);
      var kernel = module.function("add").bind(LaunchShape.of(Dim3.of(8), Dim3.of(128)),
          List.of(argument, argument, argument, KernelArgument.u32(N)));
      var times = GpuTimer.times(gpu, stream, 2, 5, i -> {
        seen.add(i);
        kernel.launch(stream);
      });
      assertEquals(IntStream.range(0, 7).boxed().toList(), seen);
      assertEquals(5, times.length);
      assertTrue(Arrays.stream(times).allMatch(ms -> ms > 0), () -> Arrays.toString(times));
    }
  }

  @Test
  void readsTheKernelsAttributes() {
    try (var module = gpu.load(Ptx.VECTOR_ADD)) {
      var attributes = module.function("add").attributes();
      assertTrue(attributes.registers() > 0 && attributes.registers() < 64, attributes::toString);
      assertEquals(0, attributes.localBytes());
      assertEquals(1024, attributes.maxThreads());
    }
  }
}
