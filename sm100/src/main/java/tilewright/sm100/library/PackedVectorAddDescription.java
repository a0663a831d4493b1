package tilewright.sm100.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.library.VectorAddTiming;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.sm100.PackedVectorAdd;

/** The addition of two vectors in packed pairs. */
final class PackedVectorAddDescription implements KernelDescription {
  @Override
  public String name() {
    return "packed_vector_add";
  }

  @Override
  public String formula() {
    return "Z = X + Y by Blackwell's packed additions";
  }

  @Override
  public List<Setting> settings() {
    return List.of(Setting.extent("n", 1 << 20));
  }

  @Override
  public Target target() {
    return Target.SM100A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    return PackedVectorAdd.prepare(choice.number("n"));
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(VectorAddTiming.of(this, PackedVectorAdd::prepare));
  }
}
