package tilewright.device.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.util.Arrays;

/** The CUDA driver of this machine, by the Foreign Function API. */
@SuppressWarnings("restricted")
final class NativeDriver implements DriverLibrary {
  static final String NAME = "libcuda.so.1";

  private final SymbolLookup library = SymbolLookup.libraryLookup(NAME, Arena.global());

  static boolean exists() {
    try (var arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(NAME, arena);
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  @Override
  public DriverFunction find(String symbol, int parameters) {
    var address = library.find(symbol).orElseThrow(() -> new GpuException(symbol, "NO_SUCH_SYMBOL",
        NAME + " lacks it; a newer driver is needed (CUDA 12.0, for im2colWide tensor maps 12.8)"));
    var layouts = new MemoryLayout[parameters];
    Arrays.fill(layouts, JAVA_LONG);
    var handle = Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(JAVA_INT, layouts))
        .asSpreader(long[].class, parameters);
    return arguments -> {
      try {
        return (int) handle.invokeExact(arguments);
      } catch (Throwable e) {
        throw new IllegalStateException("calling " + symbol + " failed", e);
      }
    };
  }
}
