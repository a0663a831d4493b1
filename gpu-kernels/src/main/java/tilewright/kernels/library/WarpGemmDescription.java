package tilewright.kernels.library;

import java.util.Optional;
import tilewright.kernel.Chip;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.gemm.GemmConfig;
import tilewright.kernels.registry.Choice;

/** A GEMM by {@code mma.sync}, in tiles that a GPU's shared memory holds. */
abstract class WarpGemmDescription implements GemmKernel {
  private final int capability;

  /** @param capability of the GPU whose limits the tiles keep, times ten */
  WarpGemmDescription(int capability) {
    this.capability = capability;
  }

  /** The GPU that grids are chosen for. */
  final Chip chip() {
    return Chip.largest(capability);
  }

  /** The problem that a choice of settings names. */
  abstract GemmProblem problem(Choice choice);

  final GemmConfig configure(GemmProblem problem) {
    return Gemm.configure(problem, capability);
  }

  /** The CTAs that share the k of a tile. */
  int splits(Choice choice, GemmProblem problem, GemmConfig config) {
    return 1;
  }

  @Override
  public final PreparedLaunch launchFor(Choice choice) {
    var problem = problem(choice);
    requireFor(problem);
    var config = Gemm.configureForAnyStrides(problem, capability);
    return Gemm.sm80(problem, config, splits(choice, problem, config));
  }

  @Override
  public final PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    requireFor(problem);
    boolean plain = epilogue.tree().equals(Epilogue.accumulator().convert(problem.output()));
    var config = configure(problem);
    return plain ? Gemm.sm80(problem, config) : Gemm.sm80(problem, config, epilogue);
  }

  private void requireFor(GemmProblem problem) {
    refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
  }

  /** Refuses operands of another width. */
  static Optional<String> refusal(GemmProblem problem, int bits, String instead) {
    var types = problem.types();
    if (types.a().bits() == bits && types.b().bits() == bits) return Optional.empty();
    return Optional.of("operands of " + types.a().text() + " and " + types.b().text() + ": this kernel multiplies "
        + instead);
  }
}
