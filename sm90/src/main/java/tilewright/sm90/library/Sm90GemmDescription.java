package tilewright.sm90.library;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.library.TiledGemmKernel;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;

/** The GEMM on Hopper's tensor cores. */
final class Sm90GemmDescription implements TiledGemmKernel {
  @Override
  public String name() {
    return "sm90_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ on Hopper's tensor cores: TMA ring, wgmma, warp roles";
  }

  @Override
  public List<Setting> settings() {
    return GemmSettings.of(GemmSettings.anyOperand(), GemmSettings.otherOperand(), GemmSettings.anyOutput(),
        Setting.option("accumulation", Accumulation.FAST.text(), Accumulation.EXACT.text()),
        GemmSettings.accumulator(),
        Setting.extent("batch", 1), tiles(), Setting.text("epilogue", "plain"), Setting.factor("alpha", 1),
        Setting.factor("beta", 0), Setting.option("weights", "behind", "ahead"), GemmSettings.QUANTIZE);
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var types = GemmSettings.types(choice, Accumulation.named(choice.text("accumulation")))
        .summedIn(choice.type(GemmSettings.ACCUMULATOR));
    var problem = GemmSettings.problem(choice, types, choice.number("batch"))
        .scaled(choice.factor("alpha"), choice.factor("beta"));
    var epilogue = GemmSettings.epilogue(choice, problem);
    var tile = choice.text("tile");
    if (choice.text("weights").equals("ahead")) {
      if (!tile.equals("auto")) throw new IllegalArgumentException("weights ahead have a tile of their own: leave it");
      return Sm90Gemms.prepare(problem, Sm90Gemms.configureWeightsAhead(problem), epilogue);
    }
    return tile.equals("auto") ? Sm90Gemms.prepare(problem, epilogue)
        : Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile), epilogue);
  }

  @Override
  public PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    return Sm90Gemms.prepare(problem, epilogue);
  }

  @Override
  public List<String> tiles(GemmProblem problem) {
    return Sm90Gemms.tiles(problem);
  }

  @Override
  public PreparedLaunch prepare(GemmProblem problem, String tile) {
    return Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile));
  }

  /** Every tile that the kernel can have; {@code auto} is the one that its cost model expects to be fastest. */
  static Setting tiles() {
    return Setting.option("tile", Stream.concat(Stream.of("auto"), Sm90Gemms.tiles().stream())
        .toArray(String[]::new));
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(Timing.of(GemmTimings.SETTINGS, request -> request.has("epilogue") || request.has("quantize")
        ? EpilogueTiming.problems(request)
        : GemmTimings.problems(this, request, GemmTimings.types(request), p -> configurations(request, p)
            .map(c -> new GemmTimings.Configured(c, () -> Sm90Gemms.prepare(p, c))).toList())));
  }

  /** The configuration of a problem that a request asks for, or every one. */
  static Stream<Sm90GemmConfig> configurations(TimingRequest request, GemmProblem problem) {
    if (request.has("weights")) {
      if (request.values("weights", "").equals(List.of("ahead"))) {
        return Stream.of(Sm90Gemms.configureWeightsAhead(problem));
      }
      throw new IllegalArgumentException("invalid weights " + request.settings().get("weights") + ": ahead, if they"
          + " are to be read before the previous kernel has ended");
    }
    return request.everyVariant() ? Sm90Gemms.configurations(problem) : Stream.of(Sm90Gemms.configure(problem));
  }
}
