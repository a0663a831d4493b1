package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** The GEMM without tensor cores. */
final class NaiveGemmDescription implements GemmKernel {
  @Override
  public String name() {
    return "naive_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ, one output element a thread";
  }

  @Override
  public List<Setting> settings() {
    return GemmSettings.of(Setting.types("dtype", ElementType.BF16, ElementType.F16, ElementType.F32));
  }

  @Override
  public Target target() {
    return Target.SM80;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    return Gemm.naive(GemmSettings.problem(choice, GemmTypes.of(choice.type("dtype"), ElementType.F32), 1));
  }

  @Override
  public PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    if (!epilogue.tree().equals(Epilogue.accumulator().convert(problem.output()))) {
      throw new IllegalArgumentException("the naive GEMM stores products as they are; use the tensor-core GEMM");
    }
    return Gemm.naive(problem);
  }

  @Override
  public boolean hasEpilogues() {
    return false;
  }

  /** Nothing: it is not made to be fast. */
  @Override
  public Optional<Timing> timing() {
    return Optional.empty();
  }
}
