package tilewright.device;

import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

/** Machine code on a GPU. */
public final class GpuModule extends DriverObject {
  private final CUmodule handle = new CUmodule();

  GpuModule(Gpu gpu, byte[] cubin) {
    super(gpu);
    enter();
    int result = JCudaDriver.cuModuleLoadData(handle, cubin);
    Driver.check(result, "cuModuleLoadData", "loading a cubin of " + cubin.length + " bytes");
  }

  /**
   * The kernel of this name.
   *
   * @throws GpuException with {@code CUDA_ERROR_NOT_FOUND} when the module has none
   */
  public GpuFunction function(String name) {
    enter();
    var function = new Handles.Function();
    int result = JCudaDriver.cuModuleGetFunction(function, handle, name);
    Driver.check(result, "cuModuleGetFunction", "looking for kernel '" + name + "'");
    return new GpuFunction(this, name, function);
  }

  @Override
  void release() {
    JCudaDriver.cuModuleUnload(handle);
  }

  @Override
  public String toString() {
    return "module on " + gpu();
  }
}
