package tilewright.kernels.registry;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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

  /** Traces the kernel and binds it to the operands; a CTA per tile. */
  public static Workload of(Kernel kernel, Target target, long tiles, Reference reference, Operand... operands) {
    return of(kernel, target, Dim3.of(Math.toIntExact(tiles)), reference, operands);
  }

  /** A workload on a grid of any shape; operands that are the kernel's own are scratch memory of the launch. */
  public static Workload of(Kernel kernel, Target target, Dim3 grid, Reference reference, Operand... operands) {
    return of(kernel, target, grid, Map.of(), reference, operands);
  }

  /** A workload whose launch gives the kernel numbers, by name. */
  public static Workload of(Kernel kernel, Target target, Dim3 grid, Map<String, Float> scalars, Reference reference,
      Operand... operands) {
    var compiled = CompiledKernel.compile(kernel, target);
    var arguments = LaunchArguments.of(compiled);
    scalars.forEach(arguments::scalar);
    long bytes = 0;
    for (var operand : operands) {
      arguments.tensor(operand.name(), operand.argument());
      bytes += operand.traffic();
    }
    var scratch = Stream.of(operands).filter(o -> o.role() == Operand.Role.SCRATCH)
        .map(o -> new PreparedLaunch.Scratch(o.name(), o.type(), o.layout())).toList();
    return new Workload(new PreparedLaunch(compiled, grid, arguments.build(), scratch), List.of(operands), reference,
        bytes, 0);
  }

  /** A workload of a launch that is prepared already. */
  public static Workload of(PreparedLaunch launch, List<Operand> operands, Reference reference) {
    return new Workload(launch, operands, reference, operands.stream().mapToLong(Operand::traffic).sum(), 0);
  }

  /** Returns this workload with other traffic, where not all of the tensors is touched. */
  public Workload moving(long otherBytes) {
    return new Workload(launch, operands, reference, otherBytes, operations);
  }

  /** Returns this workload with arithmetic as its limit. */
  public Workload computing(double floatingOperations) {
    return new Workload(launch, operands, reference, bytes, floatingOperations);
  }
}
