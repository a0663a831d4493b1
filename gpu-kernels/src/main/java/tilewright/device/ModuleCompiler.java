package tilewright.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** PTX to machine code for the current context, by the driver's linker, which gives the code away for the cache. */
final class ModuleCompiler {
  private static final int LOG_BYTES = 64 << 10;
  private static final int INPUT_PTX = 1;

  private final Driver driver;
  private final int driverVersion;
  private final int capability;
  private final CubinCache cache;

  ModuleCompiler(Driver driver, int capability, CubinCache cache) {
    this.driver = driver;
    this.driverVersion = driver.version();
    this.capability = capability;
    this.cache = cache;
  }

  String key(String ptx, CompileOptions options) {
    return CubinCache.key(ptx, driverVersion, capability, options);
  }

  byte[] compile(String ptx, CompileOptions options) {
    var key = key(ptx, options);
    return cache.read(key).orElseGet(() -> {
      var cubin = link(ptx, options);
      cache.write(key, cubin);
      return cubin;
    });
  }

  private byte[] link(String ptx, CompileOptions options) {
    try (var arena = Arena.ofConfined()) {
      var log = new Log(arena, options);
      long state = start(log, arena);
      try {
        var text = arena.allocateFrom(ptx);
        int added = driver.result("cuLinkAddData_v2", state, INPUT_PTX, text.address(), text.byteSize(),
            arena.allocateFrom("kernel.ptx").address(), 0, 0, 0);
        check(added, "cuLinkAddData", log);
        return complete(state, log, arena);
      } finally {
        driver.result("cuLinkDestroy", state);
      }
    }
  }

  /** The options and what they point at must live until the link is destroyed. */
  private long start(Log log, Arena arena) {
    var state = arena.allocate(JAVA_LONG);
    driver.call("cuLinkCreate_v2", "starting a link", log.count, log.options.address(), log.values.address(),
        state.address());
    return state.get(JAVA_LONG, 0);
  }

  /** The code belongs to the link state and dies with it. */
  @SuppressWarnings("restricted")
  private byte[] complete(long state, Log log, Arena arena) {
    var code = arena.allocate(JAVA_LONG);
    var size = arena.allocate(JAVA_LONG);
    check(driver.result("cuLinkComplete", state, code.address(), size.address()), "cuLinkComplete", log);
    return MemorySegment.ofAddress(code.get(JAVA_LONG, 0)).reinterpret(size.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
  }

  private void check(int result, String call, Log log) {
    if (result == 0) return;
    var target = "compute capability " + capability / 10 + "." + capability % 10;
    driver.check(result, call, "compiling PTX for " + target + "\n" + log.text());
  }

  /** The driver's error and information logs, and the compiler's options: {@code CUjit_option} and values by pairs. */
  private static final class Log {
    private static final int INFORMATION = 3;
    private static final int INFORMATION_BYTES = 4;
    private static final int ERRORS = 5;
    private static final int ERRORS_BYTES = 6;

    private final MemorySegment errors;
    private final MemorySegment information;
    private final int count;
    private final MemorySegment options;
    private final MemorySegment values;

    Log(Arena arena, CompileOptions chosen) {
      errors = arena.allocate(LOG_BYTES);
      information = arena.allocate(LOG_BYTES);
      var names = IntStream.concat(IntStream.of(ERRORS, ERRORS_BYTES, INFORMATION, INFORMATION_BYTES),
          chosen.names().stream().mapToInt(Integer::intValue)).toArray();
      count = names.length;
      options = arena.allocateFrom(JAVA_INT, names);
      values = arena.allocateFrom(JAVA_LONG, LongStream.concat(
          LongStream.of(errors.address(), LOG_BYTES, information.address(), LOG_BYTES),
          chosen.values().stream().mapToLong(Long::longValue)).toArray());
    }

    String text() {
      return (errors.getString(0) + "\n" + information.getString(0)).strip();
    }
  }
}
