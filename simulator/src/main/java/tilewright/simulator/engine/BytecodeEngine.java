package tilewright.simulator.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.PtxModule;
import tilewright.simulator.Engine;
import tilewright.simulator.UnsupportedPtxException;
import tilewright.simulator.compiler.KernelCompiler;
import tilewright.simulator.machine.Machine;

/** Compiles kernels to bytecode and runs them on the {@link Machine}. */
public final class BytecodeEngine implements Engine {
  @Override
  public Map<String, Executable> compile(PtxModule module, Optional<String> only, boolean watching,
      List<UnsupportedPtxException.Problem> problems, Runnable check) {
    var executables = new HashMap<String, Executable>();
    KernelCompiler.compile(module, only, watching, problems, check).forEach((name, kernel) -> executables.put(name,
        (launch, options, start) -> Machine.run(kernel, launch, options, start)));
    return executables;
  }
}
