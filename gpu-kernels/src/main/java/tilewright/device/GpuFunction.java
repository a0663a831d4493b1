package tilewright.device;

import java.util.List;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.JCudaDriver;

/** One kernel of a loaded module; usable while its {@link GpuModule} is open. */
public final class GpuFunction {
  /** Above it the driver wants to be asked (CUDA C++ Programming Guide, Shared Memory). */
  private static final int SHARED_WITHOUT_OPT_IN = 48 << 10;

  /** Above it a cluster need not fit every device of the architecture. */
  private static final int PORTABLE_CLUSTER = 8;

  private final GpuModule module;
  private final String name;
  private final Handles.Function handle;
  private final Attributes attributes;

  /**
   * What the compiler made of a kernel.
   *
   * @param registers a thread
   * @param localBytes a thread, spills among them
   * @param staticSharedBytes a block
   * @param maxThreads a block
   */
  public record Attributes(int registers, int localBytes, int staticSharedBytes, int maxThreads) {}

  GpuFunction(GpuModule module, String name, Handles.Function handle) {
    this.module = module;
    this.name = name;
    this.handle = handle;
    this.attributes = new Attributes(attribute(CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS),
        attribute(CUfunction_attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
        attribute(CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
        attribute(CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  }

  public String name() {
    return name;
  }

  public Attributes attributes() {
    return attributes;
  }

  /**
   * Packs a launch, and asks the driver for the shared memory and cluster size it needs.
   *
   * @param arguments one for each parameter, in order
   * @throws GpuException when the device allows less shared memory
   */
  public BoundKernel bind(LaunchShape shape, List<KernelArgument> arguments) {
    module.enter();
    requireSharedMemory(shape);
    int shared = shape.dynamicSharedBytes();
    if (shared + attributes.staticSharedBytes > SHARED_WITHOUT_OPT_IN) {
      set(CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared);
    }
    if (shape.cluster().size() > PORTABLE_CLUSTER) {
      set(CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    }
    return new BoundKernel(this, shape, arguments);
  }

  /** Enqueues one launch; see {@link #bind} and {@link BoundKernel#launch}. */
  public void launch(LaunchShape shape, Stream stream, KernelArgument... arguments) {
    bind(shape, List.of(arguments)).launch(stream);
  }

  private void requireSharedMemory(LaunchShape shape) {
    int allowed = gpu().properties().maxSharedBytes();
    long asked = (long) shape.dynamicSharedBytes() + attributes.staticSharedBytes;
    if (asked <= allowed) return;
    throw new GpuException("bind", "TOO_MUCH_SHARED_MEMORY", "kernel '" + name + "' asks for " + asked
        + " bytes of shared memory a block (" + attributes.staticSharedBytes + " static), but " + gpu() + " allows "
        + allowed + "; use fewer stages or smaller tiles");
  }

  private void set(int attribute, int value) {
    Driver.check(JCudaDriver.cuFuncSetAttribute(handle, attribute, value), "cuFuncSetAttribute",
        "setting " + CUfunction_attribute.stringFor(attribute) + " of kernel '" + name + "' to " + value);
  }

  private int attribute(int attribute) {
    int[] value = {0};
    Driver.check(JCudaDriver.cuFuncGetAttribute(value, attribute, handle), "cuFuncGetAttribute",
        CUfunction_attribute.stringFor(attribute) + " of kernel '" + name + "'");
    return value[0];
  }

  GpuModule module() {
    return module;
  }

  Gpu gpu() {
    return module.gpu();
  }

  Handles.Function handle() {
    return handle;
  }
}
