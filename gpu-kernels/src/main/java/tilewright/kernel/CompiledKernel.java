package tilewright.kernel;

import java.util.List;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;

/**
 * A traced kernel: PTX and what a launch has to give.
 *
 * @param parameters in PTX order
 * @param dynamicSharedBytes bytes of shared memory a CTA
 */
public record CompiledKernel(String name, PtxModule module, List<KernelParameter> parameters, Dim3 block,
    int dynamicSharedBytes) {

  /** Traces a kernel for a target. */
  public static CompiledKernel compile(Kernel kernel, Target target) {
    var scope = new Scope(target);
    kernel.trace(scope);
    return scope.finish(kernel.name());
  }

  public String ptx() {
    return PtxPrinter.print(module);
  }
}
