package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.VectorAdd;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;

/** The addition of two vectors, the smallest kernel. */
final class VectorAddDescription implements KernelDescription {
  @Override
  public String name() {
    return "vector_add";
  }

  @Override
  public String formula() {
    return "Z = X + Y, four elements an access";
  }

  @Override
  public List<Setting> settings() {
    return List.of(Setting.extent("n", 1 << 20));
  }

  @Override
  public Target target() {
    return Target.SM80;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    return VectorAdd.prepare(choice.number("n"));
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(VectorAddTiming.of(this, VectorAdd::prepare));
  }
}
