package tilewright.device.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The CUDA driver: its functions by name, and what its results mean. */
public final class Driver {
  private static final int SUCCESS = 0;
  private static final int NO_DEVICE = 100;

  /** The first driver that takes PTX 8.0, which every kernel here has at least. */
  private static final int OLDEST = 12_000;

  private final DriverLibrary library;
  private final Map<String, DriverFunction> functions = new ConcurrentHashMap<>();

  public Driver(DriverLibrary library) {
    this.library = library;
  }

  /** That of this machine; exists only where {@link NativeDriver#exists()}. */
  public static Driver ofThisMachine() {
    return new Driver(new NativeDriver());
  }

  /** Whether this machine has a driver and devices. */
  public static GpuProbe probeThisMachine() {
    return NativeDriver.exists() ? ofThisMachine().probe()
        : new GpuProbe.Missing("no CUDA driver (" + NativeDriver.NAME + ")");
  }

  public GpuProbe probe() {
    int initialised = result("cuInit", 0);
    if (initialised == NO_DEVICE) return new GpuProbe.Missing("a CUDA driver, but no CUDA device");
    if (initialised != SUCCESS) return new GpuProbe.Missing("cuInit: " + text("cuGetErrorString", initialised));
    int version = version();
    if (version < OLDEST) {
      return new GpuProbe.Missing(
          "the driver supports CUDA " + text(version) + ", but " + text(OLDEST) + " or newer is needed");
    }
    int count = (int) get("cuDeviceGetCount", "counting devices");
    if (count == 0) return new GpuProbe.Missing("a CUDA driver, but no CUDA device");
    var devices = new ArrayList<GpuProperties>();
    for (int i = 0; i < count; i++) devices.add(DeviceAttributes.properties(this, i));
    return new GpuProbe.Available(text(version), devices);
  }

  /** The version in CUDA's encoding: 1000 · major + 10 · minor. */
  public int version() {
    return (int) get("cuDriverGetVersion", "reading the driver's version");
  }

  private static String text(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  /** The function, to call it often without looking it up. */
  public DriverFunction function(String symbol, int parameters) {
    var known = functions.get(symbol);
    if (known != null) return known;
    var found = library.find(symbol, parameters);
    functions.put(symbol, found);
    return found;
  }

  /** Calls a function and leaves its result to the caller. */
  public int result(String symbol, long... arguments) {
    return function(symbol, arguments.length).call(arguments);
  }

  /**
   * Calls a function.
   *
   * @param doing what the caller is about, for the message
   * @throws GpuException when it does not succeed
   */
  public void call(String symbol, Object doing, long... arguments) {
    check(result(symbol, arguments), symbol, doing);
  }

  /** Calls a function whose first parameter is where it writes a handle or a number of up to eight bytes. */
  public long get(String symbol, Object doing, long... others) {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(JAVA_LONG);
      var arguments = new long[others.length + 1];
      arguments[0] = out.address();
      System.arraycopy(others, 0, arguments, 1, others.length);
      call(symbol, doing, arguments);
      return out.get(JAVA_LONG, 0);
    }
  }

  /**
   * Checks a result; {@code CUDA_SUCCESS} passes.
   *
   * @throws GpuException for any other result, with what was being done
   */
  public void check(int result, String symbol, Object doing) {
    if (result == SUCCESS) return;
    throw new GpuException(symbol.replaceFirst("_v\\d$", ""), text("cuGetErrorName", result),
        text("cuGetErrorString", result) + ", while " + doing);
  }

  @SuppressWarnings("restricted")
  private String text(String symbol, int result) {
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(ADDRESS);
      boolean known = result(symbol, result, out.address()) == SUCCESS;
      var text = out.get(ADDRESS, 0);
      return known && !text.equals(MemorySegment.NULL) ? text.reinterpret(Long.MAX_VALUE).getString(0)
          : "CUDA error " + result;
    }
  }
}
