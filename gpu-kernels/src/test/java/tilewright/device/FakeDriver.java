package tilewright.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tilewright.device.cubin.CubinCache;
import tilewright.device.driver.Driver;
import tilewright.device.driver.DriverFunction;
import tilewright.device.driver.DriverLibrary;
import tilewright.device.driver.GpuException;

/**
 * A driver without a device: its memory is the host's, work happens when it is enqueued, save fills without a stream,
 * which happen when something is ordered behind them or waits, and a "kernel" only notes the launch. It counts what is
 * open, and refuses handles that it has not given or that are released.
 */
public final class FakeDriver implements DriverLibrary {
  static final int INVALID_HANDLE = 400;
  private static final int TOO_LARGE = 1;
  /** {@code CUfunction_attribute} (cuda.h): what a launch may have at most, 48 KiB unless set. */
  private static final int DYNAMIC_SHARED = 8;

  /** One launch as the driver sees it. */
  record SeenLaunch(long function, List<Integer> dimensions, int sharedBytes, long stream, List<Long> attributes,
      List<Long> arguments) {}

  final List<SeenLaunch> launches = new ArrayList<>();
  final Map<String, Integer> calls = new TreeMap<>();
  /** What was loaded as a module, up to its first zero byte. */
  public final List<String> loaded = new ArrayList<>();
  /** What is open, by handle. */
  final Map<Long, String> open = new TreeMap<>();
  private final Map<Long, Arena> memory = new HashMap<>();
  private final Map<Long, List<Runnable>> graphs = new HashMap<>();
  private final Map<String, DriverFunction> functions = new HashMap<>();
  private final int parametersOfKernels;
  /** Fills without a stream, of which independent streams know nothing. */
  private final List<Runnable> unordered = new ArrayList<>();
  private final Set<Long> independent = new HashSet<>();
  /** What another thread does in the midst of an allocation. */
  Runnable whileAllocating = () -> {};
  private List<Runnable> capture = List.of();
  private boolean capturing;
  private long dynamicSharedBytes = 48 << 10;
  private long handles = 0x1000;

  /** @param parametersOfKernels how many 8-byte arguments every kernel has */
  public FakeDriver(int parametersOfKernels) {
    this.parametersOfKernels = parametersOfKernels;
    device();
    memory();
    streams();
    code();
  }

  public Gpu open(CubinCache cache) {
    return Gpu.open(new Driver(this), 0, cache);
  }

  @Override
  public DriverFunction find(String symbol, int parameters) {
    var function = functions.get(symbol);
    if (function == null) throw new GpuException(symbol, "NO_SUCH_SYMBOL", "the fake lacks it");
    return arguments -> {
      calls.merge(symbol, 1, Integer::sum);
      return function.call(arguments);
    };
  }

  private void device() {
    functions.put("cuInit", _ -> 0);
    functions.put("cuDriverGetVersion", a -> number(a[0], 13_000));
    functions.put("cuDeviceGetCount", a -> number(a[0], 1));
    functions.put("cuDeviceGet", a -> number(a[0], 0));
    functions.put("cuDeviceGetName", a -> {
      at(a[0], a[1]).setString(0, "Fake");
      return 0;
    });
    functions.put("cuDeviceTotalMem_v2", a -> number(a[0], 1L << 34));
    // Multiprocessors, cache, compute capability 9.0, shared memory.
    var attributes = Map.of(16L, 4, 38L, 1 << 20, 75L, 9, 76L, 0, 97L, 227 << 10);
    functions.put("cuDeviceGetAttribute", a -> number(a[0], attributes.get(a[1])));
    functions.put("cuDevicePrimaryCtxRetain", a -> create(a[0], "context"));
    functions.put("cuDevicePrimaryCtxRelease_v2", _ -> open.values().remove("context") ? 0 : INVALID_HANDLE);
    functions.put("cuCtxSetCurrent", a -> known(a[0], "context"));
    functions.put("cuGetErrorName", a -> text(a[1], "CUDA_ERROR_" + a[0]));
    functions.put("cuGetErrorString", a -> text(a[1], "error " + a[0]));
  }

  private void memory() {
    functions.put("cuMemAlloc_v2", a -> {
      whileAllocating.run();
      return allocate(a[0], a[1], "memory");
    });
    functions.put("cuMemFree_v2", a -> free(a[0], "memory"));
    functions.put("cuMemHostAlloc", a -> allocate(a[0], a[1], "host"));
    functions.put("cuMemFreeHost", a -> free(a[0], "host"));
    functions.put("cuMemcpyHtoD_v2", a -> inOrder() + copy(a[0], a[1], a[2]));
    functions.put("cuMemcpyDtoH_v2", a -> inOrder() + copy(a[0], a[1], a[2]));
    functions.put("cuMemcpyAsync", a -> enqueue(a[3], () -> copy(a[0], a[1], a[2])));
    functions.put("cuMemsetD8_v2", a -> unordered.add(() -> fill(a[0], a[1], a[2])) ? 0 : INVALID_HANDLE);
    functions.put("cuMemsetD8Async", a -> enqueue(a[3], () -> fill(a[0], a[1], a[2])));
    functions.put("cuMemPoolCreate", a -> create(a[0], "pool"));
    functions.put("cuMemPoolSetAttribute", a -> known(a[0], "pool"));
    functions.put("cuMemPoolDestroy", a -> release(a[0], "pool"));
    functions.put("cuMemAllocFromPoolAsync",
        a -> known(a[2], "pool") + known(a[3], "stream") + allocate(a[0], a[1], "memory"));
    functions.put("cuMemFreeAsync", a -> known(a[1], "stream") + free(a[0], "memory"));
  }

  private void streams() {
    functions.put("cuStreamCreate", a -> create(a[0], "stream"));
    functions.put("cuStreamCreateWithPriority", a -> {
      independent.add(handles);
      return create(a[0], "stream");
    });
    functions.put("cuStreamDestroy_v2", a -> release(a[0], "stream"));
    functions.put("cuStreamSynchronize", a -> a[0] == 0 ? inOrder() : known(a[0], "stream"));
    functions.put("cuStreamQuery", a -> known(a[0], "stream"));
    functions.put("cuStreamWaitEvent", a -> known(a[0], "stream") + known(a[1], "event"));
    functions.put("cuEventCreate", a -> create(a[0], "event"));
    functions.put("cuEventDestroy_v2", a -> release(a[0], "event"));
    functions.put("cuEventRecord", a -> known(a[0], "event") + known(a[1], "stream"));
    functions.put("cuStreamBeginCapture_v2", a -> {
      capture = new ArrayList<>();
      capturing = true;
      return known(a[0], "stream");
    });
    functions.put("cuThreadExchangeStreamCaptureMode", a -> 0);
    functions.put("cuStreamEndCapture", a -> {
      capturing = false;
      graphs.put(handles, List.copyOf(capture));
      return create(a[1], "graph");
    });
    functions.put("cuGraphDestroy", a -> release(a[0], "graph"));
    functions.put("cuGraphInstantiateWithFlags", a -> {
      graphs.put(handles, graphs.get(a[1]));
      return create(a[0], "executable");
    });
    functions.put("cuGraphExecDestroy", a -> release(a[0], "executable"));
    functions.put("cuGraphLaunch", a -> {
      graphs.get(a[0]).forEach(Runnable::run);
      return known(a[0], "executable") + known(a[1], "stream");
    });
  }

  private void code() {
    functions.put("cuLinkCreate_v2", a -> create(a[3], "link"));
    functions.put("cuLinkAddData_v2", a -> known(a[0], "link"));
    var code = Arena.ofAuto().allocateFrom("machine code");
    functions.put("cuLinkComplete", a -> number(a[1], code.address()) + number(a[2], code.byteSize()));
    functions.put("cuLinkDestroy", a -> release(a[0], "link"));
    functions.put("cuModuleLoadDataEx", a -> {
      loaded.add(at(a[1], Integer.MAX_VALUE).getString(0));
      return create(a[0], "module");
    });
    functions.put("cuModuleUnload", a -> release(a[0], "module"));
    functions.put("cuModuleGetFunction", a -> known(a[1], "module") + number(a[0], 77));
    functions.put("cuFuncGetAttribute", a -> number(a[0], a[1] == DYNAMIC_SHARED ? dynamicSharedBytes : 32));
    functions.put("cuFuncSetAttribute", a -> {
      if (a[1] == DYNAMIC_SHARED) dynamicSharedBytes = a[2];
      return 0;
    });
    functions.put("cuOccupancyMaxActiveBlocksPerMultiprocessor", a -> number(a[0], 2));
    functions.put("cuLaunchKernelEx", a -> {
      var launch = seen(a[0], a[1], a[2]);
      if (launch.dimensions.get(3) > 1024 || launch.sharedBytes > dynamicSharedBytes) return TOO_LARGE;
      return known(launch.stream, "stream") + enqueue(launch.stream, () -> launches.add(launch));
    });
  }

  /** Reads {@code CUlaunchConfig} by its declaration in cuda.h. */
  private SeenLaunch seen(long configuration, long function, long pointers) {
    var c = at(configuration, 56);
    var dimensions = new ArrayList<Integer>();
    for (int i = 0; i < 6; i++) dimensions.add(c.getAtIndex(JAVA_INT, i));
    var attributes = new ArrayList<Long>();
    for (int i = 0; i < c.get(JAVA_INT, 48); i++) {
      var attribute = at(c.get(JAVA_LONG, 40) + 72L * i, 72);
      attributes.add((long) attribute.get(JAVA_INT, 0));
      attributes.add((long) attribute.get(JAVA_INT, 8));
    }
    var arguments = new ArrayList<Long>();
    for (int i = 0; i < parametersOfKernels; i++) {
      arguments.add(at(at(pointers + 8L * i, 8).get(JAVA_LONG, 0), 8).get(JAVA_LONG, 0));
    }
    return new SeenLaunch(function, dimensions, c.get(JAVA_INT, 24), c.get(JAVA_LONG, 32), attributes, arguments);
  }

  private int enqueue(long stream, Runnable work) {
    if (!independent.contains(stream)) inOrder();
    if (capturing) capture.add(work);
    else work.run();
    return 0;
  }

  /** Comes to what was enqueued without a stream. */
  private int inOrder() {
    unordered.forEach(Runnable::run);
    unordered.clear();
    return 0;
  }

  private int create(long out, String kind) {
    open.put(handles, kind);
    return number(out, handles++);
  }

  private int known(long handle, String kind) {
    return kind.equals(open.get(handle)) ? 0 : INVALID_HANDLE;
  }

  private int release(long handle, String kind) {
    return open.remove(handle, kind) ? 0 : INVALID_HANDLE;
  }

  private int allocate(long out, long bytes, String kind) {
    var arena = Arena.ofShared();
    long address = arena.allocate(bytes, 256).address();
    memory.put(address, arena);
    open.put(address, kind);
    return number(out, address);
  }

  private int free(long address, String kind) {
    if (release(address, kind) != 0) return INVALID_HANDLE;
    memory.remove(address).close();
    return 0;
  }

  private static int copy(long to, long from, long bytes) {
    at(to, bytes).copyFrom(at(from, bytes));
    return 0;
  }

  private static int fill(long address, long value, long bytes) {
    at(address, bytes).fill((byte) value);
    return 0;
  }

  private static int text(long out, String text) {
    return number(out, Arena.global().allocateFrom(text).address());
  }

  private static int number(long out, long value) {
    at(out, 8).set(JAVA_LONG, 0, value);
    return 0;
  }

  @SuppressWarnings("restricted")
  private static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }
}
