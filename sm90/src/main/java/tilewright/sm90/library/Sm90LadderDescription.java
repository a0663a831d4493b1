package tilewright.sm90.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.sm90.ladder.LadderStep;

/** The steps from the naive GEMM to the fast one. */
final class Sm90LadderDescription implements KernelDescription {
  @Override
  public String name() {
    return "sm90_ladder";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ of bf16, one of ten steps from naive to sm90_gemm";
  }

  @Override
  public List<Setting> settings() {
    var settings = new ArrayList<>(List.of(Setting.extent("step", LadderStep.values().length)));
    settings.addAll(GemmSettings.extents());
    return settings;
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var step = LadderStep.of(choice.number("step"));
    return step.prepare(step.problem(choice.number("m"), choice.number("n"), choice.number("k")));
  }

  /** Every step, or those that the request names, of each shape. */
  @Override
  public Optional<Timing> timing() {
    return Optional.of(Timing.of(GemmTimings.SETTINGS, request -> {
      var steps = Stream.of(LadderStep.values()).filter(s -> request.leaves("step", "" + s.number())).toList();
      return request.shapes().stream().flatMap(shape -> steps.stream().<Supplier<TimedProblem>>map(step -> () -> {
        var p = step.problem(shape.get(0), shape.get(1), shape.get(2));
        return GemmTimings.problem(name(), "sm90", p, "TN", new GemmTimings.Configured("step " + step.number() + ": "
            + step.idea(), () -> step.prepare(p)), List.of());
      })).toList();
    }));
  }
}
