package tilewright.sm90.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;

/** The GEMM of groups of rows. */
final class Sm90GroupedGemmDescription implements KernelDescription {
  @Override
  public String name() {
    return "sm90_grouped_gemm";
  }

  @Override
  public String formula() {
    return "C = f(alpha·A·Bᵀ + beta·C) for groups of A's rows, each with a B of its own: contiguous, masked with m rows"
        + " at most, or ragged";
  }

  @Override
  public List<Setting> settings() {
    var settings = new ArrayList<>(List.of(
        Setting.types("dtype", ElementType.BF16, ElementType.F16, ElementType.E4M3, ElementType.E5M2)));
    settings.addAll(GemmSettings.extents());
    settings.add(Setting.types("out", ElementType.BF16, ElementType.F16, ElementType.F32));
    settings.add(Setting.extent("groups", 4));
    settings.add(Setting.option("grouping", "contiguous", "masked", "ragged"));
    settings.addAll(List.of(Setting.text("epilogue", "plain"), Setting.factor("alpha", 1), Setting.factor("beta", 0),
        GemmSettings.QUANTIZE));
    return settings;
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var grouping = Grouping.valueOf(choice.text("grouping").toUpperCase(Locale.ROOT));
    int groups = choice.number("groups");
    var output = GemmSettings.quantizes(choice) ? ElementType.E4M3 : choice.type("out");
    var problem = GemmSettings.problem(choice, GemmTypes.of(choice.type("dtype"), output),
        grouping == Grouping.MASKED ? groups : 1).scaled(choice.factor("alpha"), choice.factor("beta"));
    return GroupedGemm.packed(problem, grouping, groups, GemmSettings.tree(choice, problem)).prepare();
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(Timing.of(GemmTimings.SETTINGS, GroupedTiming::problems));
  }
}
