package tilewright.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import tilewright.device.cubin.CompileLog;
import tilewright.device.cubin.CompileOptions;
import tilewright.device.driver.GpuException;

/** Machine code on a GPU. */
public final class GpuModule extends DriverObject {
  private final long handle;

  /** @param image machine code, or PTX that ends with a zero */
  GpuModule(Gpu gpu, byte[] image, CompileOptions options) {
    super(gpu);
    enter();
    try (var arena = Arena.ofConfined()) {
      var place = arena.allocate(image.length, 8).copyFrom(MemorySegment.ofArray(image));
      var module = arena.allocate(ValueLayout.JAVA_LONG);
      var log = new CompileLog(arena, options);
      int result = driver().result("cuModuleLoadDataEx", module.address(), place.address(), log.count(), log.options(),
          log.values());
      driver().check(result, "cuModuleLoadDataEx", "loading code of " + image.length + " bytes\n" + log.text());
      handle = module.get(ValueLayout.JAVA_LONG, 0);
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
