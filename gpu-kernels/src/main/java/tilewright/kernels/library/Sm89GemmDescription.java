package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** The SM80 GEMM on 8-bit floats, which {@code mma} multiplies from SM89 on. */
final class Sm89GemmDescription extends WarpGemmDescription {
  Sm89GemmDescription() {
    this(Target.SM89.capability());
  }

  private Sm89GemmDescription(int capability) {
    super(capability);
  }

  @Override
  public Sm89GemmDescription on(int capability) {
    return new Sm89GemmDescription(capability);
  }

  @Override
  public String name() {
    return "sm89_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ of 8-bit floats on tensor cores: cp.async ring, ldmatrix, mma.sync.m16n8k32";
  }

  @Override
  public List<Setting> settings() {
    return GemmSettings.of(Setting.types("dtype", ElementType.E4M3, ElementType.E5M2),
        GemmSettings.withFirst("same", Setting.types("dtypeb", ElementType.E4M3, ElementType.E5M2)),
        Setting.types("out", ElementType.BF16, ElementType.F16, ElementType.F32), Setting.extent("batch", 1));
  }

  @Override
  public Target target() {
    return Target.SM89;
  }

  @Override
  public Optional<String> refusal(GemmProblem problem) {
    return refusal(problem, 8, "e4m3 and e5m2 (f16 and bf16: sm80_gemm)").or(() -> problem.types().isPromoted()
        ? Optional.of("sums stay in the tensor core here: take sm90_gemm, or fast accumulation") : Optional.empty());
  }

  @Override
  GemmProblem problem(Choice choice) {
    return GemmSettings.problem(choice, GemmSettings.types(choice, Accumulation.FAST), choice.number("batch"));
  }

  /** No GPU of SM89 or SM120 was at hand to time it. */
  @Override
  public Optional<Timing> timing() {
    return Optional.empty();
  }
}
