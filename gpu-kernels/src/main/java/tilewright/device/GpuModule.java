package tilewright.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Machine code on a GPU. */
public final class GpuModule extends DriverObject {
  private final long handle;

  GpuModule(Gpu gpu, byte[] cubin) {
    super(gpu);
    enter();
    try (var arena = Arena.ofConfined()) {
      var image = arena.allocate(cubin.length, 8).copyFrom(MemorySegment.ofArray(cubin));
      handle = driver().get("cuModuleLoadData", "loading a cubin of " + cubin.length + " bytes", image.address());
    }
  }

  /**
   * The kernel of this name.
   *
   * @throws GpuException with {@code CUDA_ERROR_NOT_FOUND} when the module has none
   */
  public GpuFunction function(String name) {
    enter();
    try (var arena = Arena.ofConfined()) {
      var function = arena.allocate(ValueLayout.JAVA_LONG);
      driver().call("cuModuleGetFunction", "looking for kernel '" + name + "'", function.address(), handle,
          arena.allocateFrom(name).address());
      return new GpuFunction(this, name, function.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  @Override
  void release() {
    driver().result("cuModuleUnload", handle);
  }

  @Override
  public String toString() {
    return "module on " + gpu();
  }
}
