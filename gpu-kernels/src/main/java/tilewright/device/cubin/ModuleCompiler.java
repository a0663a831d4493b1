package tilewright.device.cubin;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import tilewright.device.driver.Driver;

/**
 * PTX to what the driver loads: machine code by its linker, which gives the code away for the cache. The linker's
 * compiler ignores {@code setmaxnreg} (ptxas, C7504) and spills what does not fit without, and places dynamic shared
 * memory right behind static, whatever alignment it declares; such PTX is left to the driver as it is, which keeps its
 * code in a cache of its own.
 */
public final class ModuleCompiler {
  private static final int INPUT_PTX = 1;

  private final Driver driver;
  private final int driverVersion;
  private final int capability;
  private final CubinCache cache;

  public ModuleCompiler(Driver driver, int capability, CubinCache cache) {
    this.driver = driver;
    this.driverVersion = driver.version();
    this.capability = capability;
    this.cache = cache;
  }

  String key(String ptx, CompileOptions options) {
    return CubinCache.key(ptx, driverVersion, capability, options);
  }

  /** A cubin, or PTX that ends with a zero. */
  public byte[] compile(String ptx, CompileOptions options) {
    if (ptx.contains("setmaxnreg") || SharedDeclarations.of(ptx).mixed()) {
      return (ptx + "\0").getBytes(StandardCharsets.UTF_8);
    }
    var key = key(ptx, options);
    return cache.read(key).orElseGet(() -> {
      var cubin = link(ptx, options);
      cache.write(key, cubin);
      return cubin;
    });
  }

  private byte[] link(String ptx, CompileOptions options) {
    try (var arena = Arena.ofConfined()) {
      var log = new CompileLog(arena, options);
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
  private long start(CompileLog log, Arena arena) {
    var state = arena.allocate(JAVA_LONG);
    driver.call("cuLinkCreate_v2", "starting a link", log.count(), log.options(), log.values(),
        state.address());
    return state.get(JAVA_LONG, 0);
  }

  /** The code belongs to the link state and dies with it. */
  @SuppressWarnings("restricted")
  private byte[] complete(long state, CompileLog log, Arena arena) {
    var code = arena.allocate(JAVA_LONG);
    var size = arena.allocate(JAVA_LONG);
    check(driver.result("cuLinkComplete", state, code.address(), size.address()), "cuLinkComplete", log);
    return MemorySegment.ofAddress(code.get(JAVA_LONG, 0)).reinterpret(size.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
  }

  private void check(int result, String call, CompileLog log) {
    if (result == 0) return;
    var target = "compute capability " + capability / 10 + "." + capability % 10;
    driver.check(result, call, "compiling PTX for " + target + "\n" + log.text());
  }
}
