package tilewright.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The driver's functions that JCuda lacks or breaks, by the Foreign Function API. JCuda has no
 * {@code cuLaunchKernelEx}, and its {@code cuLinkCreate} frees the log buffers that the driver still writes to.
 */
@SuppressWarnings("restricted")
final class DriverCalls {
  private final SymbolLookup library = SymbolLookup.libraryLookup(Driver.LIBRARY, Arena.global());

  private final MethodHandle launchKernelEx = find("cuLaunchKernelEx", ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
  private final MethodHandle linkCreate = find("cuLinkCreate_v2", JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
  private final MethodHandle linkAddData =
      find("cuLinkAddData_v2", ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
  private final MethodHandle linkComplete = find("cuLinkComplete", ADDRESS, ADDRESS, ADDRESS);
  private final MethodHandle linkDestroy = find("cuLinkDestroy", ADDRESS);

  /**
   * @param configuration a {@code CUlaunchConfig}
   * @param arguments addresses of the arguments' bytes
   */
  int launchKernelEx(MemorySegment configuration, long function, MemorySegment arguments) {
    try {
      return (int) launchKernelEx.invokeExact(configuration, function, arguments, MemorySegment.NULL);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** The options and what they point at must live until {@link #linkDestroy}. */
  int linkCreate(int count, MemorySegment options, MemorySegment values, MemorySegment stateOut) {
    try {
      return (int) linkCreate.invokeExact(count, options, values, stateOut);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** @param type a {@code CUjitInputType} */
  int linkAddData(MemorySegment state, int type, MemorySegment data, MemorySegment name) {
    try {
      return (int) linkAddData.invokeExact(state, type, data, data.byteSize(), name, 0, MemorySegment.NULL,
          MemorySegment.NULL);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** The code belongs to the link state and dies with it. */
  int linkComplete(MemorySegment state, MemorySegment codeOut, MemorySegment sizeOut) {
    try {
      return (int) linkComplete.invokeExact(state, codeOut, sizeOut);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int linkDestroy(MemorySegment state) {
    try {
      return (int) linkDestroy.invokeExact(state);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** A function that returns a {@code CUresult}. */
  MethodHandle find(String symbol, MemoryLayout... parameters) {
    var address = library.find(symbol).orElseThrow(() -> new GpuException(symbol, "NO_SUCH_SYMBOL",
        Driver.LIBRARY + " lacks it; a newer driver is needed (CUDA 12.0, for im2colWide tensor maps 12.8)"));
    return Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  static IllegalStateException unexpected(Throwable e) {
    return new IllegalStateException("a downcall threw", e);
  }
}
