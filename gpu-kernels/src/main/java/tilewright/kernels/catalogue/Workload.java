package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.ptx.Dim3;
import tilewright.reference.Reference;

/**
 * One kernel on one problem.
 *
 * @param operands its tensors; the launch's buffers have their names
 * @param bytes what has to cross global memory at least: every input once, every output once
 * @param operations floating-point operations, where those are the limit; else 0
 */
public record Workload(PreparedLaunch launch, List<Operand> operands, Reference reference, long bytes,
    double operations) {
  public Workload {
    operands = List.copyOf(operands);
  }

  /** Traces the kernel and binds it to the operands; a grid of no tiles still has one CTA, which finds no work. */
  static Workload of(Kernel kernel, Target target, long tiles, Reference reference, Operand... operands) {
    return of(kernel, target, Dim3.of(Math.toIntExact(Math.max(1, tiles))), reference, operands);
  }

  static Workload of(Kernel kernel, Target target, Dim3 grid, Reference reference, Operand... operands) {
    var compiled = CompiledKernel.compile(kernel, target);
    var arguments = LaunchArguments.of(compiled);
    long bytes = 0;
    for (var operand : operands) {
      arguments.tensor(operand.name(), operand.argument());
      if (operand.role() != Operand.Role.SCRATCH) bytes += operand.bytes();
    }
    return new Workload(new PreparedLaunch(compiled, grid, arguments.build()), List.of(operands), reference, bytes, 0);
  }

  /** With other traffic, where not all of the tensors is touched. */
  Workload moving(long otherBytes) {
    return new Workload(launch, operands, reference, otherBytes, operations);
  }

  /** With arithmetic as the limit. */
  Workload computing(double floatingOperations) {
    return new Workload(launch, operands, reference, bytes, floatingOperations);
  }
}
