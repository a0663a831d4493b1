package tilewright.sm90.library;

import java.util.List;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.sm90.SparseGemm;

/** The GEMM whose A stores two of every four elements along k. */
final class Sm90SparseGemmDescription implements KernelDescription {
  @Override
  public String name() {
    return "sm90_sparse_gemm";
  }

  @Override
  public String formula() {
    return "C = f(alpha·A·Bᵀ + beta·C), where of every four elements of A along k two are stored, and metadata E say"
        + " which";
  }

  @Override
  public List<Setting> settings() {
    return GemmSettings.of(GemmSettings.anyOperand(), GemmSettings.otherOperand(), GemmSettings.anyOutput(),
        GemmSettings.accumulator(), Setting.extent("batch", 1), Setting.text("epilogue", "plain"),
        Setting.factor("alpha", 1), Setting.factor("beta", 0), GemmSettings.QUANTIZE);
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var types = GemmSettings.types(choice, Accumulation.FAST).summedIn(choice.type(GemmSettings.ACCUMULATOR));
    var problem = SparseGemm.problem(types, choice.number("m"), choice.number("n"), choice.number("k"),
        choice.number("batch"), choice.text("order")).scaled(choice.factor("alpha"), choice.factor("beta"));
    return SparseGemm.packed(problem, EpilogueArguments.packed(GemmSettings.tree(choice, problem), problem)).prepare();
  }
}
