package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.gemm.GemmConfig;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** The GEMM on SM80's tensor cores. */
final class Sm80GemmDescription extends WarpGemmDescription {
  private static final String AUTO = "auto";
  /** CTAs that share the k of a tile; {@code auto} is as many as fill the GPU once. */
  private static final Setting SPLIT = Setting.option("split", "1", AUTO, "2", "3", "4", "6", "8", "12", "16");

  Sm80GemmDescription() {
    this(Target.SM80.capability());
  }

  private Sm80GemmDescription(int capability) {
    super(capability);
  }

  @Override
  public Sm80GemmDescription on(int capability) {
    return new Sm80GemmDescription(capability);
  }

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
        Setting.extent("batch", 1), SPLIT);
  }

  @Override
  public Target target() {
    return Target.SM80;
  }

  @Override
  public Optional<String> refusal(GemmProblem problem) {
    return refusal(problem, 16, "f16 and bf16 (8-bit floats: sm89_gemm)");
  }

  @Override
  GemmProblem problem(Choice choice) {
    var types = GemmTypes.of(choice.type("dtype"), choice.type("out"))
        .summedIn(choice.type(GemmSettings.ACCUMULATOR));
    return GemmSettings.problem(choice, types, choice.number("batch"));
  }

  @Override
  int splits(Choice choice, GemmProblem problem, GemmConfig config) {
    return splits(choice.text("split"), problem, config);
  }

  private int splits(String text, GemmProblem problem, GemmConfig config) {
    if (!SPLIT.values().contains(text)) {
      throw new IllegalArgumentException("invalid split " + text + ": " + String.join(" or ", SPLIT.values()));
    }
    return text.equals(AUTO) ? Gemm.splits(problem, config, chip().multiprocessors()) : Integer.parseInt(text);
  }

  private List<GemmTimings.Configured> timed(GemmProblem problem, List<String> splits) {
    var config = configure(problem);
    return splits.stream().map(text -> {
      int parts = splits(text, problem, config);
      return new GemmTimings.Configured(parts == 1 ? config : config + " split " + parts,
          () -> Gemm.sm80(problem, config, parts));
    }).toList();
  }

  @Override
  public Optional<Timing> timing() {
    var types = List.of(GemmTypes.of(ElementType.BF16, ElementType.F32),
        GemmTypes.of(ElementType.BF16, ElementType.BF16), GemmTypes.of(ElementType.F16, ElementType.F16),
        GemmTypes.of(ElementType.F16, ElementType.F32));
    return Optional.of(Timing.of(GemmTimings.SETTINGS, request -> GemmTimings.problems(this, request,
        types.stream().flatMap(t -> GemmTimings.accumulated(t, request).stream()).toList(),
        p -> timed(p, request.values("split", "1")))));
  }
}
