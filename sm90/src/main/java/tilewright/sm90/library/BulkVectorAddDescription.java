package tilewright.sm90.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.library.VectorAddTiming;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.sm90.BulkVectorAdd;

/** The addition of two vectors that bulk copies move. */
final class BulkVectorAddDescription implements KernelDescription {
  @Override
  public String name() {
    return "bulk_vector_add";
  }

  @Override
  public String formula() {
    return "Z = X + Y by Hopper's bulk copies";
  }

  @Override
  public List<Setting> settings() {
    return List.of(Setting.extent("n", 1 << 20));
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    return BulkVectorAdd.prepare(choice.number("n"));
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(VectorAddTiming.of(this, BulkVectorAdd::prepare));
  }
}
