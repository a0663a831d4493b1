package tilewright.simulator.compiler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.ptx.PtxModule;
import tilewright.simulator.UnsupportedPtxException.Problem;
import tilewright.simulator.core.Kernel;

/** Compiles the kernels of a module. */
public final class KernelCompiler {
  private KernelCompiler() {}

  /**
   * Compiles all kernels; whatever cannot be executed goes to {@code problems}.
   *
   * @param watched whether the code reports to the sanitizer and the profile
   */
  public static Map<String, Kernel> compile(PtxModule module, boolean watched, List<Problem> problems) {
    var kernels = new HashMap<String, Kernel>();
    ModuleData data;
    try {
      data = new ModuleData(module);
    } catch (Unsupported e) {
      problems.add(e.problem(0, "module variables"));
      return kernels;
    }
    for (var f : module.functions()) {
      if (!f.entry() || f.body().isEmpty()) continue;
      try {
        var compilation = new Compilation(module, data, f, watched);
        compilation.kernel().ifPresent(k -> kernels.put(f.name(), k));
        problems.addAll(compilation.problems());
      } catch (Unsupported e) {
        problems.add(e.problem(f.line(), "kernel " + f.name()));
      }
    }
    return kernels;
  }
}
