package tilewright.sm90.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;

/** The GEMM of narrow weights and 16-bit activations. */
final class Sm90MixedGemmDescription implements KernelDescription {
  @Override
  public String name() {
    return "sm90_mixed_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ of 8- or 4-bit weights A, scaled for 1×128 and converted in registers, "
        + "and 16-bit activations B";
  }

  @Override
  public List<Setting> settings() {
    var settings = new ArrayList<>(List.of(Setting.types("dtype", ElementType.E4M3, ElementType.E5M2, ElementType.I4),
        Setting.types("dtypeb", ElementType.BF16, ElementType.F16)));
    settings.addAll(GemmSettings.extents());
    return settings;
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var activations = choice.type("dtypeb");
    var types = new GemmTypes(choice.type("dtype"), activations, activations, Accumulation.SCALED);
    return MixedGemm.packed(GemmSettings.problem(choice, types, 1)).prepare();
  }

  /** Narrow weights, of which there may be several types, beside 16-bit activations. */
  @Override
  public Optional<Timing> timing() {
    return Optional.of(Timing.of(GemmTimings.SETTINGS, request -> {
      var activations = request.type("dtypeb", ElementType.BF16);
      var types = request.types("dtype", ElementType.E4M3).stream()
          .map(a -> new GemmTypes(a, activations, activations, Accumulation.SCALED)).toList();
      return GemmTimings.problems(this, request, types, p -> List.of(new GemmTimings.Configured(
          MixedGemm.packed(p).configure(), () -> MixedGemm.packed(p).prepare())),
          p -> List.of(TimedProblem.Tensor.input("SA", ElementType.F32, (long) p.m() * ScaledGemm.blocks(p.k()))));
    }));
  }
}
