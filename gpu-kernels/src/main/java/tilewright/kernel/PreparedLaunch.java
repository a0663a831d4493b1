package tilewright.kernel;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/** A compiled kernel with its grid and checked arguments: everything of a launch but the bytes. */
public record PreparedLaunch(CompiledKernel kernel, Dim3 grid, List<Launch.Argument> arguments) {
  public PreparedLaunch {
    arguments = List.copyOf(arguments);
  }

  /** The launch on these buffers, by the names that the arguments use. */
  public Launch on(Map<String, MemorySegment> buffers) {
    return new Launch(kernel.ptx(), kernel.name(), grid, kernel.block(), kernel.cluster(),
        kernel.dynamicSharedBytes(), kernel.features(), buffers, arguments);
  }
}
