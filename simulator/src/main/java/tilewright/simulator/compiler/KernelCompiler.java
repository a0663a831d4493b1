package tilewright.simulator.compiler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.PtxModule;
import tilewright.simulator.Engine;
import tilewright.simulator.UnsupportedPtxException.Problem;
import tilewright.simulator.compiler.code.TooLarge;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.module.ModuleData;
import tilewright.simulator.core.Kernel;

/** Compiles the kernels of a module. */
public final class KernelCompiler {
  private KernelCompiler() {}

  /**
   * Compiles kernels; whatever cannot be executed goes to {@code problems}.
   *
   * @param firstWindow the address window of the module's first variable; the others follow
   * @param entry the only one to compile; all if it is empty
   * @param code what the code does beside the kernel's work
   * @param check called now and then: it may end the work by an exception
   */
  public static Map<String, Kernel> compile(PtxModule module, int firstWindow, Optional<String> entry,
      Engine.Code code, List<Problem> problems, Runnable check) {
    var kernels = new HashMap<String, Kernel>();
    ModuleData data;
    try {
      data = new ModuleData(module, firstWindow);
    } catch (Unsupported e) {
      problems.add(e.problem(0, "module variables"));
      return kernels;
    }
    for (var f : module.functions()) {
      if (!f.entry() || f.body().isEmpty() || entry.isPresent() && !entry.get().equals(f.name())) continue;
      try {
        var compilation = new Compilation(module, data, f, code, check);
        compilation.kernel().ifPresent(k -> kernels.put(f.name(), k));
        problems.addAll(compilation.problems());
      } catch (Unsupported e) {
        problems.add(e.problem(f.line(), "kernel " + f.name()));
      } catch (TooLarge e) {
        problems.add(new Problem(f.line(), "kernel " + f.name(), e.getMessage()));
      }
    }
    return kernels;
  }
}
