package tilewright.device;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import tilewright.ptx.Launch;
import tilewright.ptx.tensormap.TensorMap;

/**
 * An open GPU: its primary context, retained until closed. Any thread may use it.
 *
 * <p>After a kernel's illegal memory access the driver refuses everything else in this process (CUDA driver API,
 * {@code CUDA_ERROR_ILLEGAL_ADDRESS}).
 */
public final class Gpu implements AutoCloseable {
  private final GpuProperties properties;
  private final CUdevice device;
  private final CUcontext context = new CUcontext();
  private final DriverCalls calls = new DriverCalls();
  private final ModuleCompiler compiler;
  private final Set<DriverObject> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  private Gpu(GpuProperties properties, CubinCache cache) {
    this.properties = properties;
    this.device = Driver.device(properties.index());
    Driver.check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "cuDevicePrimaryCtxRetain", this);
    this.compiler = new ModuleCompiler(calls, Driver.version(), properties.capability(), cache);
  }

  /** Looks for a driver and its devices; loads native code only where there is a driver, and prints nothing. */
  public static GpuProbe probe() {
    return Driver.probe();
  }

  /**
   * Opens a device.
   *
   * @param index from 0
   * @throws GpuException when there is no usable driver or no such device
   */
  public static Gpu open(int index) {
    return switch (probe()) {
      case GpuProbe.Missing(var reason) -> throw new GpuException("open", "NO_GPU", reason);
      case GpuProbe.Available(_, var devices) when index < 0 || index >= devices.size() ->
          throw new GpuException("open", "NO_SUCH_DEVICE",
              "device " + index + " of " + devices.size() + "; indices count from 0");
      case GpuProbe.Available(_, var devices) -> new Gpu(devices.get(index), CubinCache.ofUser());
    };
  }

  public GpuProperties properties() {
    return properties;
  }

  /** A new stream, ordered with the copies of {@link DeviceMemory}. */
  public Stream stream() {
    return register(new Stream(this));
  }

  public Event event() {
    return register(new Event(this));
  }

  /**
   * Allocates global memory, aligned to 256 bytes, contents undefined.
   *
   * @param bytes more than 0
   */
  public DeviceMemory allocate(long bytes) {
    return register(new DeviceMemory(this, bytes));
  }

  /**
   * Compiles PTX by the driver, or takes the machine code from the user's cache.
   *
   * @throws GpuException with the compiler's log when the driver rejects the text
   */
  public GpuModule load(String ptx) {
    enter();
    return register(new GpuModule(this, compiler.compile(ptx)));
  }

  /**
   * A tensor map over memory, as a kernel's argument.
   *
   * @param offset bytes from the memory's beginning to the tensor
   * @throws GpuException when the driver refuses it, with the rules that it breaks
   */
  public KernelArgument tensorMap(TensorMap map, DeviceMemory memory, long offset) {
    return new TensorMapEncoder(this).encode(map, memory.address() + offset);
  }

  /**
   * Runs one launch and writes the results into its buffers' segments, save read-only ones. Around each buffer lie
   * guard regions.
   *
   * @return the kernel's device time in milliseconds
   * @throws GpuException when a driver call fails, or when the kernel wrote into a guard region
   */
  public double run(Launch launch) {
    return GpuLauncher.run(this, launch);
  }

  DriverCalls calls() {
    return calls;
  }

  void enter() {
    if (closed.get()) throw new IllegalStateException(this + " is closed");
    Driver.check(JCudaDriver.cuCtxSetCurrent(context), "cuCtxSetCurrent", this);
  }

  void forget(DriverObject object) {
    open.remove(object);
    JCudaDriver.cuCtxSetCurrent(context);
  }

  private <T extends DriverObject> T register(T object) {
    open.add(object);
    return object;
  }

  /** Closes all that was opened from this GPU and gives the context back. Closing again does nothing. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) return;
    open.forEach(DriverObject::close);
    JCudaDriver.cuDevicePrimaryCtxRelease(device);
  }

  @Override
  public String toString() {
    return "GPU " + properties.index() + " (" + properties.name() + ")";
  }
}
