package tilewright.sm100.library;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.library.GemmKernel;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.sm100.Sm100Gemms;

/** The GEMM on Blackwell's tensor cores. */
final class Sm100GemmDescription implements GemmKernel {
  @Override
  public String name() {
    return "sm100_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ on Blackwell's tensor cores: TMA ring, tcgen05 into Tensor Memory, pairs of SMs";
  }

  @Override
  public List<Setting> settings() {
    return GemmSettings.of(GemmSettings.anyOperand(), GemmSettings.otherOperand(), GemmSettings.anyOutput(),
        Setting.extent("batch", 1),
        Setting.option("rung", Stream.concat(Stream.of("auto"), Sm100Gemms.rungs().stream()).toArray(String[]::new)),
        Setting.text("epilogue", "plain"), Setting.factor("alpha", 1), Setting.factor("beta", 0));
  }

  @Override
  public Target target() {
    return Target.SM100A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var problem = GemmSettings.problem(choice, GemmSettings.types(choice, Accumulation.FAST), choice.number("batch"))
        .scaled(choice.factor("alpha"), choice.factor("beta"));
    var epilogue = GemmSettings.epilogue(choice, problem);
    var rung = choice.text("rung");
    if (rung.equals("auto")) return Sm100Gemms.prepare(problem, epilogue);
    return choice.text("epilogue").equals("plain") ? Sm100Gemms.prepare(problem, rung)
        : Sm100Gemms.prepare(problem, Sm100Gemms.configure(problem, rung), epilogue);
  }

  @Override
  public PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    return Sm100Gemms.prepare(problem, epilogue);
  }

  /** Nothing: no Blackwell GPU has run it. */
  @Override
  public Optional<Timing> timing() {
    return Optional.empty();
  }
}
