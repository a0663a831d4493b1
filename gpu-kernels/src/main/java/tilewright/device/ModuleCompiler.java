package tilewright.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jcuda.driver.CUjitInputType;
import jcuda.driver.CUjit_option;
import jcuda.driver.CUresult;

/** PTX to machine code for the current context, by the driver's linker, which gives the code away for the cache. */
final class ModuleCompiler {
  private static final int LOG_BYTES = 64 << 10;

  private final int driverVersion;
  private final int capability;
  private final CubinCache cache;
  private final DriverCalls calls;

  ModuleCompiler(DriverCalls calls, int driverVersion, int capability, CubinCache cache) {
    this.calls = calls;
    this.driverVersion = driverVersion;
    this.capability = capability;
    this.cache = cache;
  }

  byte[] compile(String ptx) {
    var key = CubinCache.key(ptx, driverVersion, capability);
    return cache.read(key).orElseGet(() -> {
      var cubin = link(ptx);
      cache.write(key, cubin);
      return cubin;
    });
  }

  @SuppressWarnings("restricted")
  private byte[] link(String ptx) {
    try (var arena = Arena.ofConfined()) {
      var log = new Log(arena);
      var stateOut = arena.allocate(ADDRESS);
      Driver.check(calls.linkCreate(log.count(), log.options, log.values, stateOut), "cuLinkCreate", "starting a link");
      var state = stateOut.get(ADDRESS, 0);
      try {
        var name = arena.allocateFrom("kernel.ptx");
        int added = calls.linkAddData(state, CUjitInputType.CU_JIT_INPUT_PTX, arena.allocateFrom(ptx), name);
        check(added, "cuLinkAddData", log);
        var codeOut = arena.allocate(ADDRESS);
        var sizeOut = arena.allocate(JAVA_LONG);
        check(calls.linkComplete(state, codeOut, sizeOut), "cuLinkComplete", log);
        return codeOut.get(ADDRESS, 0).reinterpret(sizeOut.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
      } finally {
        calls.linkDestroy(state);
      }
    }
  }

  private void check(int result, String call, Log log) {
    if (result == CUresult.CUDA_SUCCESS) return;
    var target = "compute capability " + capability / 10 + "." + capability % 10;
    Driver.check(result, call, "compiling PTX for " + target + "\n" + log.text());
  }

  /** The driver's error and information logs, as options of a link. Values are pointers wide, sizes too. */
  private static final class Log {
    private final MemorySegment errors;
    private final MemorySegment information;
    private final MemorySegment options;
    private final MemorySegment values;

    Log(Arena arena) {
      errors = arena.allocate(LOG_BYTES);
      information = arena.allocate(LOG_BYTES);
      options = arena.allocateFrom(JAVA_INT,
          CUjit_option.CU_JIT_ERROR_LOG_BUFFER, CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
          CUjit_option.CU_JIT_INFO_LOG_BUFFER, CUjit_option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
      values = arena.allocateFrom(JAVA_LONG, errors.address(), LOG_BYTES, information.address(), LOG_BYTES);
    }

    int count() {
      return (int) (options.byteSize() / JAVA_INT.byteSize());
    }

    String text() {
      return (errors.getString(0) + "\n" + information.getString(0)).strip();
    }
  }
}
