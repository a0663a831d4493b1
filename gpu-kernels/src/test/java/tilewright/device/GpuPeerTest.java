package tilewright.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.device.driver.GpuProbe;
import tilewright.ptx.Dim3;

/** Every GPU of a machine that has several. */
class GpuPeerTest extends OnGpu {
  private static final int N = 1 << 16;
  private static final LaunchShape SHAPE = LaunchShape.of(Dim3.of(N / 128), Dim3.of(128));

  private static List<Gpu> openOthers() {
    int devices = ((GpuProbe.Available) Gpu.probe()).devices().size();
    assumeTrue(devices > 1, "one GPU");
    var others = new ArrayList<Gpu>();
    for (int i = 1; i < devices; i++) others.add(Gpu.open(i));
    return others;
  }

  private static DeviceMemory filled(Gpu gpu, float value) {
    var memory = gpu.allocate(4L * N);
    memory.copyFrom(MemorySegment.ofArray(all(value)));
    return memory;
  }

  /** {@code z = x + y} on a GPU, whosever memory it is. */
  private static void add(Gpu gpu, DeviceMemory x, DeviceMemory y, DeviceMemory z) {
    try (var stream = gpu.independentStream(0)) {
      gpu.kernel(Ptx.VECTOR_ADD, "add").bind(SHAPE, List.of(KernelArgument.of(x), KernelArgument.of(y),
          KernelArgument.of(z), KernelArgument.u32(N))).launch(stream);
      stream.synchronize();
    }
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
  void everyDeviceRunsKernelsInAContextOfItsOwn() {
    var others = openOthers();
    try {
      float value = 1;
      for (var device : others) {
        try (var x = filled(device, value); var y = filled(gpu, value)) {
          add(device, x, x, x);
          add(gpu, y, y, y);
          assertArrayEquals(all(2 * value), read(x), device.toString());
          assertArrayEquals(all(2 * value), read(y), gpu.toString());
        }
        value++;
      }
    } finally {
      others.forEach(Gpu::close);
    }
  }

  @Test
  void memoryIsCopiedFromOneDeviceToAnother() {
    var others = openOthers();
    try {
      for (var device : others) {
        try (var here = filled(gpu, 3); var there = filled(device, 0); var stream = device.stream()) {
          there.copyFrom(here, stream);
          stream.synchronize();
          assertArrayEquals(all(3), read(there), device.toString());
        }
      }
    } finally {
      others.forEach(Gpu::close);
    }
  }

  @Test
  void aKernelReadsAPeersMemory() {
    var others = openOthers();
    try {
      for (var device : others) {
        assumeTrue(device.enablePeer(gpu), () -> device + " cannot reach " + gpu);
        try (var here = filled(gpu, 4); var there = filled(device, 5)) {
          add(device, here, there, there);
          assertArrayEquals(all(9), read(there), device.toString());
        }
      }
    } finally {
      others.forEach(Gpu::close);
    }
  }
}
