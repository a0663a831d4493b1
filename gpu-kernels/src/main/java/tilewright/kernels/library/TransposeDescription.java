package tilewright.kernels.library;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Transpose;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** The transposition through shared memory. */
final class TransposeDescription implements KernelDescription {
  /** Rows and columns: far larger than any cache. */
  private static final int TIMED = 16384;

  @Override
  public String name() {
    return "transpose";
  }

  @Override
  public String formula() {
    return "Y = Xᵀ through swizzled shared memory";
  }

  @Override
  public List<Setting> settings() {
    return List.of(Setting.extent("m", 1024), Setting.extent("n", 1024));
  }

  @Override
  public Target target() {
    return Target.SM80;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    return Transpose.prepare(choice.number("m"), choice.number("n"));
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(Timing.of(() -> {
      long elements = (long) TIMED * TIMED;
      var tensors = List.of(TimedProblem.Tensor.input("X", ElementType.F32, elements),
          TimedProblem.Tensor.output("Y", ElementType.F32, elements));
      return new TimedProblem(name(), "sm80", "m=" + TIMED + " n=" + TIMED, Transpose.prepare(TIMED, TIMED), tensors,
          2 * Float.BYTES * elements, 0,
          Map.of("op", "transpose", "settings", Map.of("m", "" + TIMED, "n", "" + TIMED)));
    }));
  }
}
