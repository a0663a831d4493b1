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

/** The GEMM on SM80's tensor cores. */
final class Sm80GemmDescription implements GemmKernel {
  @Override
  public String name() {
    return "sm80_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ on tensor cores: cp.async ring, ldmatrix, mma.sync";
  }

  @Override
  public List<Setting> settings() {
    return GemmSettings.of(Setting.types("dtype", ElementType.BF16, ElementType.F16),
        Setting.types("out", ElementType.F32, ElementType.F16, ElementType.BF16), GemmSettings.accumulator(),
        Setting.extent("batch", 1));
  }

  @Override
  public Target target() {
    return Target.SM80;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var types = GemmTypes.of(choice.type("dtype"), choice.type("out"))
        .summedIn(choice.type(GemmSettings.ACCUMULATOR));
    var problem = GemmSettings.problem(choice, types, choice.number("batch"));
    return Gemm.sm80(problem, Gemm.configureForAnyStrides(problem));
  }

  @Override
  public PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    boolean plain = epilogue.tree().equals(Epilogue.accumulator().convert(problem.output()));
    return plain ? Gemm.sm80(problem) : Gemm.sm80(problem, epilogue);
  }

  @Override
  public Optional<Timing> timing() {
    var types = List.of(GemmTypes.of(ElementType.BF16, ElementType.F32),
        GemmTypes.of(ElementType.BF16, ElementType.BF16), GemmTypes.of(ElementType.F16, ElementType.F16),
        GemmTypes.of(ElementType.F16, ElementType.F32));
    return Optional.of(Timing.of(GemmTimings.SETTINGS, request -> GemmTimings.problems(this, request,
        types.stream().flatMap(t -> GemmTimings.accumulated(t, request).stream()).toList(),
        p -> List.of(new GemmTimings.Configured(Gemm.configure(p), () -> Gemm.sm80(p))))));
  }
}
