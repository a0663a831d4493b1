package tilewright.device;

import java.lang.foreign.Arena;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import tilewright.device.cubin.CompileOptions;
import tilewright.device.cubin.CubinCache;
import tilewright.device.cubin.ModuleCompiler;
import tilewright.device.driver.DeviceAttributes;
import tilewright.device.driver.Driver;
import tilewright.device.driver.DriverFunction;
import tilewright.device.driver.GpuException;
import tilewright.device.driver.GpuProbe;
import tilewright.device.driver.GpuProperties;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.ptx.FamilyTarget;
import tilewright.ptx.Launch;
import tilewright.ptx.tensormap.TensorMap;

/**
 * An open GPU: its primary context, which other libraries of the process share, retained until closed. Any thread may
 * use it.
 *
 * <p>After a kernel's illegal memory access the driver refuses everything else in this process (CUDA driver API,
 * {@code CUDA_ERROR_ILLEGAL_ADDRESS}).
 */
public final class Gpu implements AutoCloseable {
  private static final int PEER_ACCESS_ALREADY_ENABLED = 704;

  private final Driver driver;
  private final GpuProperties properties;
  private final int device;
  private final long[] context = new long[1];
  private final DriverFunction setContext;
  private final ModuleCompiler compiler;
  private final ModuleCache modules = new ModuleCache(this);
  /** The open objects, by the order of their opening. */
  private final Map<DriverObject, Long> open = new ConcurrentHashMap<>();
  private final AtomicLong opened = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  private Gpu(Driver driver, GpuProperties properties, CubinCache cache) {
    this.driver = driver;
    this.properties = properties;
    this.device = DeviceAttributes.device(driver, properties.index());
    this.context[0] = driver.get("cuDevicePrimaryCtxRetain", this, device);
    this.setContext = driver.function("cuCtxSetCurrent", 1);
    this.compiler = new ModuleCompiler(driver, properties.capability(), cache);
  }

  /** Looks for a driver and its devices; loads native code only where there is a driver, and prints nothing. */
  public static GpuProbe probe() {
    return Driver.probeThisMachine();
  }

  /**
   * Opens a device.
   *
   * @param index from 0
   * @throws GpuException when there is no usable driver or no such device
   */
  public static Gpu open(int index) {
    if (probe() instanceof GpuProbe.Missing(var reason)) throw new GpuException("open", "NO_GPU", reason);
    return open(Driver.ofThisMachine(), index, CubinCache.ofUser());
  }

  static Gpu open(Driver driver, int index, CubinCache cache) {
    return switch (driver.probe()) {
      case GpuProbe.Missing(var reason) -> throw new GpuException("open", "NO_GPU", reason);
      case GpuProbe.Available(_, var devices) when index < 0 || index >= devices.size() ->
          throw new GpuException("open", "NO_SUCH_DEVICE",
              "device " + index + " of " + devices.size() + "; indices count from 0");
      case GpuProbe.Available(_, var devices) -> new Gpu(driver, devices.get(index), cache);
    };
  }

  public GpuProperties properties() {
    return properties;
  }

  /** A new stream, ordered with the copies of {@link DeviceMemory} that name no stream. */
  public Stream stream() {
    enter();
    return register(Stream.ordered(this));
  }

  /**
   * A new stream that nothing but events orders with other work.
   *
   * @param priority lower numbers go first; 0 is the default
   */
  public Stream independentStream(int priority) {
    enter();
    return register(Stream.independent(this, priority));
  }

  /** Another library's {@code CUstream} of this GPU's primary context; closing it here leaves it open there. */
  public Stream foreignStream(long handle) {
    enter();
    return register(Stream.foreign(this, handle));
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
    enter();
    return register(DeviceMemory.allocate(this, bytes));
  }

  /** Memory that another library owns, such as a tensor's; closing it here only forgets it. */
  public DeviceMemory foreignMemory(long address, long bytes) {
    enter();
    return register(DeviceMemory.foreign(this, address, bytes));
  }

  /** Page-locked memory of the host, contents undefined, for copies that a stream makes by itself. */
  public HostMemory allocateHost(long bytes) {
    return register(new HostMemory(this, bytes));
  }

  /** @param retainedBytes what the pool keeps of the device when nothing is allocated */
  public MemoryPool memoryPool(long retainedBytes) {
    return register(new MemoryPool(this, retainedBytes));
  }

  /** Bytes of the device that nobody, in no process, has allocated. */
  public long freeBytes() {
    enter();
    try (var arena = Arena.ofConfined()) {
      var total = arena.allocate(Long.BYTES, Long.BYTES);
      return driver.get("cuMemGetInfo_v2", this, total.address());
    }
  }

  /**
   * Lets kernels here use the other GPU's memory.
   *
   * @return whether the two can; copies between them work either way
   */
  public boolean enablePeer(Gpu other) {
    enter();
    if (driver.get("cuDeviceCanAccessPeer", this, device, other.device) == 0) return false;
    int result = driver.result("cuCtxEnablePeerAccess", other.context[0], 0);
    if (result != PEER_ACCESS_ALREADY_ENABLED) driver.check(result, "cuCtxEnablePeerAccess", this);
    return true;
  }

  /**
   * Compiles PTX by the driver, or takes the machine code from the user's cache.
   *
   * @throws GpuException when the text is for another GPU, and with the compiler's log when the driver rejects it
   */
  public GpuModule load(String ptx) {
    return load(ptx, CompileOptions.DEFAULT);
  }

  /** Compiles PTX in a certain way; see {@link #load(String)}. */
  public GpuModule load(String ptx, CompileOptions options) {
    enter();
    requireTarget(ptx);
    var text = FamilyTarget.of(ptx, properties().capability());
    return register(new GpuModule(this, compiler.compile(text, options), options));
  }

  private void requireTarget(String ptx) {
    var refusal = Target.of(ptx).flatMap(target -> target.refusal(properties().capability(), toString()));
    if (refusal.isPresent()) {
      throw new GpuException("cuModuleLoadDataEx", "CUDA_ERROR_NO_BINARY_FOR_GPU", "the kernel " + refusal.get());
    }
  }

  /** A kernel of PTX that is loaded once, when first asked for, and stays until this GPU is closed. */
  public GpuFunction kernel(String ptx, String entry) {
    enter();
    return modules.kernel(ptx, entry);
  }

  /**
   * A prepared launch on memory, to launch often; {@link tilewright.kernel.PlanCache} keeps what is prepared, and the
   * code is loaded once. Scratch memory that is not given is allocated and stays until this GPU is closed; what is
   * bound once is then for one stream at a time.
   *
   * @param memory by the names that the launch's arguments use
   * @throws IllegalArgumentException when the launch names other memory
   */
  public BoundKernel bind(PreparedLaunch launch, Map<String, DeviceMemory> memory) {
    return bind(kernel(launch.kernel().ptx(), launch.kernel().name()), launch, memory);
  }

  /** Binds a launch to a function of the caller's own module; see {@link #bind(PreparedLaunch, Map)}. */
  public BoundKernel bind(GpuFunction function, PreparedLaunch launch, Map<String, DeviceMemory> memory) {
    var all = new HashMap<String, KernelArgument.Address>();
    memory.forEach((name, whole) -> all.put(name, new KernelArgument.Address(whole, 0)));
    launch.scratch().forEach(part -> all.computeIfAbsent(part.name(),
        _ -> new KernelArgument.Address(zeros(part.bytes()), 0)));
    return bindAt(function, launch, all);
  }

  /**
   * Binds a launch to places in memory, such as tensors of a pool; see {@link #bind(PreparedLaunch, Map)}.
   *
   * @param places by the names that the launch's arguments use, scratch memory among them
   */
  public BoundKernel bindAt(GpuFunction function, PreparedLaunch launch, Map<String, KernelArgument.Address> places) {
    var kernel = launch.kernel();
    var arguments = new Arguments(this, buffer -> {
      var place = places.get(buffer.name());
      if (place == null) throw new IllegalArgumentException("kernel '" + kernel.name() + "' needs memory '"
          + buffer.name() + "', but there is " + places.keySet());
      return new KernelArgument.Address(place.memory(), place.offset() + buffer.offset());
    });
    var shape = new LaunchShape(launch.grid(), kernel.block(), kernel.cluster(), kernel.dynamicSharedBytes(),
        kernel.features());
    return function.bind(shape, launch.arguments().stream().map(arguments::encode).toList());
  }

  private DeviceMemory zeros(long bytes) {
    var memory = allocate(bytes);
    memory.fill((byte) 0);
    return memory;
  }

  /**
   * A tensor map over memory, as a kernel's argument.
   *
   * @param offset bytes from the memory's beginning to the tensor
   * @throws GpuException when the driver refuses it, with the rules that it breaks
   */
  public KernelArgument tensorMap(TensorMap map, DeviceMemory memory, long offset) {
    return new TensorMapEncoder(this).encode(map, memory, offset);
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

  Driver driver() {
    return driver;
  }

  /** Makes the context the calling thread's current one, for calls of other libraries. */
  public void enter() {
    if (closed.get()) throw new IllegalStateException(this + " is closed");
    driver.check(setContext.call(context), "cuCtxSetCurrent", this);
  }

  void forget(DriverObject object) {
    open.remove(object);
    setContext.call(context);
  }

  /** @throws IllegalStateException when another thread has closed this GPU meanwhile; the object is then closed too */
  <T extends DriverObject> T register(T object) {
    open.put(object, opened.getAndIncrement());
    if (closed.get()) object.close();
    object.requireOpen();
    return object;
  }

  /** Closes all that was opened from this GPU, last first, and gives the context back. Closing again does nothing. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) return;
    open.entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder())).map(Map.Entry::getKey)
        .toList().forEach(DriverObject::close);
    driver.result("cuDevicePrimaryCtxRelease_v2", device);
  }

  @Override
  public String toString() {
    return "GPU " + properties.index() + " (" + properties.name() + ")";
  }
}
