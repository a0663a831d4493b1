package tilewright.device;

import java.lang.foreign.Arena;
import java.util.List;
import tilewright.device.driver.GpuException;
import tilewright.ptx.LaunchFeature;

/** One kernel of a loaded module; usable while its {@link GpuModule} is open. */
public final class GpuFunction {
  /** Above it the driver wants to be asked (CUDA C++ Programming Guide, Shared Memory). */
  private static final int SHARED_WITHOUT_OPT_IN = 48 << 10;

  /** Above it a cluster need not fit every device of the architecture. */
  private static final int PORTABLE_CLUSTER = 8;

  private final GpuModule module;
  private final String name;
  private final long handle;
  private final Attributes attributes;

  /**
   * Attributes of a compiled kernel.
   *
   * @param registers per thread
   * @param localBytes a thread, spills among them
   * @param staticSharedBytes a block
   * @param maxThreads a block
   */
  public record Attributes(int registers, int localBytes, int staticSharedBytes, int maxThreads) {}

  GpuFunction(GpuModule module, String name, long handle) {
    this.module = module;
    this.name = name;
    this.handle = handle;
    this.attributes = new Attributes(attribute(Attribute.REGISTERS), attribute(Attribute.LOCAL_BYTES),
        attribute(Attribute.STATIC_SHARED_BYTES), attribute(Attribute.MAX_THREADS));
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
    prepare(shape);
    if (shape.features().contains(LaunchFeature.COOPERATIVE)) requireRoom(shape);
    return new BoundKernel(this, shape, arguments);
  }

  private void prepare(LaunchShape shape) {
    module.enter();
    requireSharedMemory(shape);
    raiseSharedMemory(shape.dynamicSharedBytes());
    if (shape.cluster().size() > PORTABLE_CLUSTER) set(Attribute.LARGE_CLUSTERS, 1);
  }

  /** Raises what launches may have; with less than before, those already bound would be refused. */
  private void raiseSharedMemory(int bytes) {
    if (bytes + attributes.staticSharedBytes <= SHARED_WITHOUT_OPT_IN) return;
    synchronized (module) {
      if (bytes > attribute(Attribute.DYNAMIC_SHARED_BYTES)) set(Attribute.DYNAMIC_SHARED_BYTES, bytes);
    }
  }

  /** How many blocks of this shape run on one SM at a time. */
  public int blocksPerMultiprocessor(LaunchShape shape) {
    prepare(shape);
    return (int) gpu().driver().get("cuOccupancyMaxActiveBlocksPerMultiprocessor", this, handle, shape.block().size(),
        shape.dynamicSharedBytes());
  }

  /** How many clusters of this shape run on the GPU at a time. */
  public int activeClusters(LaunchShape shape) {
    prepare(shape);
    try (var arena = Arena.ofConfined()) {
      var configuration = new LaunchConfiguration(shape, arena);
      return (int) gpu().driver().get("cuOccupancyMaxActiveClusters", this, handle, configuration.address());
    }
  }

  private void requireRoom(LaunchShape shape) {
    long room = (long) blocksPerMultiprocessor(shape) * gpu().properties().multiprocessors();
    if (shape.grid().size() <= room) return;
    throw new GpuException("bind", "COOPERATIVE_LAUNCH_TOO_LARGE", this + " asks for " + shape.grid().size()
        + " blocks at the same time, but " + gpu() + " has room for " + room + " of this shape; use fewer blocks");
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
    gpu().driver().call("cuFuncSetAttribute", "setting attribute " + attribute + " of " + this + " to " + value, handle,
        attribute, value);
  }

  private int attribute(int attribute) {
    return (int) gpu().driver().get("cuFuncGetAttribute", "reading attribute " + attribute + " of kernel '" + name
        + "'", attribute, handle);
  }

  GpuModule module() {
    return module;
  }

  Gpu gpu() {
    return module.gpu();
  }

  @Override
  public String toString() {
    return "kernel '" + name + "'";
  }

  long handle() {
    return handle;
  }

  /** {@code CUfunction_attribute} (cuda.h). */
  private static final class Attribute {
    static final int MAX_THREADS = 0;
    static final int STATIC_SHARED_BYTES = 1;
    static final int LOCAL_BYTES = 3;
    static final int REGISTERS = 4;
    static final int DYNAMIC_SHARED_BYTES = 8;
    static final int LARGE_CLUSTERS = 14;
  }
}
