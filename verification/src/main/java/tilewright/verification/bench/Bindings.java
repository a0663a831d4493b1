package tilewright.verification.bench;

import java.util.List;
import java.util.Map;
import tilewright.device.BoundKernel;
import tilewright.device.DeviceMemory;
import tilewright.device.Gpu;
import tilewright.device.GpuFunction;
import tilewright.device.KernelArgument;
import tilewright.device.LaunchShape;
import tilewright.kernel.PreparedLaunch;
import tilewright.ptx.Launch;

/** From a prepared launch and memory on the GPU to a kernel that can be launched often. */
final class Bindings {
  private Bindings() {}

  /** The kernel, loaded once a GPU, on this memory by the buffers' names. */
  static BoundKernel bind(Gpu gpu, PreparedLaunch launch, Map<String, DeviceMemory> memory) {
    return bind(gpu, gpu.kernel(launch.kernel().ptx(), launch.kernel().name()), launch, memory);
  }

  static BoundKernel bind(Gpu gpu, GpuFunction function, PreparedLaunch launch, Map<String, DeviceMemory> memory) {
    var shape = new LaunchShape(launch.grid(), launch.kernel().block(), launch.kernel().cluster(),
        launch.kernel().dynamicSharedBytes());
    return function.bind(shape, launch.arguments().stream().map(a -> argument(gpu, a, memory)).toList());
  }

  private static KernelArgument argument(Gpu gpu, Launch.Argument argument, Map<String, DeviceMemory> memory) {
    return switch (argument) {
      case Launch.Argument.Buffer(var name, long offset) -> new KernelArgument.Address(memory.get(name), offset);
      case Launch.Argument.Scalar(var type, long bits) -> new KernelArgument.Value(type, bits);
      case Launch.Argument.TensorMapOf(var place, var map) ->
          gpu.tensorMap(map, memory.get(place.name()), place.offset());
      case Launch.Argument.Struct _ -> throw new BenchmarkException("kernels that take a struct are not measured yet");
    };
  }
}
