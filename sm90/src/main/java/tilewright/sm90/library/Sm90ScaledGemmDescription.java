package tilewright.sm90.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.Sm90Gemms;

/** The GEMM of 8-bit floats with scales in blocks. */
final class Sm90ScaledGemmDescription implements KernelDescription {
  @Override
  public String name() {
    return "sm90_scaled_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ of 8-bit floats with a scale for 1×128 of A and 128×128 of B";
  }

  @Override
  public List<Setting> settings() {
    var settings = new ArrayList<>(List.of(Setting.types("dtype", ElementType.E4M3, ElementType.E5M2)));
    settings.addAll(GemmSettings.extents());
    settings.add(Setting.types("out", ElementType.BF16, ElementType.F16, ElementType.F32));
    settings.add(Sm90GemmDescription.tiles());
    return settings;
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var operand = choice.type("dtype");
    var types = new GemmTypes(operand, operand, choice.type("out"), Accumulation.SCALED);
    var gemm = ScaledGemm.packed(GemmSettings.problem(choice, types, 1));
    var tile = choice.text("tile");
    return tile.equals("auto") ? gemm.prepare() : gemm.prepare(Sm90Gemms.configure(gemm.problem(), tile));
  }

  @Override
  public Optional<Timing> timing() {
    var types = List.of(new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.SCALED));
    return Optional.of(Timing.of(GemmTimings.SETTINGS, request -> GemmTimings.problems(this, request, types,
        p -> Sm90GemmDescription.configurations(request, p)
            .map(c -> new GemmTimings.Configured(c, () -> ScaledGemm.packed(p).prepare(c))).toList(),
        Sm90ScaledGemmDescription::scales)));
  }

  private static List<TimedProblem.Tensor> scales(GemmProblem p) {
    var gemm = ScaledGemm.packed(p);
    return List.of(TimedProblem.Tensor.input("SA", ElementType.F32, gemm.scalesA().batchStride()),
        TimedProblem.Tensor.input("SB", ElementType.F32, gemm.scalesB().batchStride()));
  }
}
