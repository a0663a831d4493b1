package tilewright.kernels.registry;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;

/** All that the commands know of a kernel: its name, its settings, how it is traced, and what is timed of it. */
public interface KernelDescription {

  /** The name on the command line, lower case with underscores. */
  String name();

  /** The formula that the kernel computes, in one line. */
  String formula();

  /** The kernel's settings: extents first, then options, then tunings. */
  List<Setting> settings();

  /** The target that the kernel is compiled for in its default settings. */
  Target target();

  /** Traces the kernel for a choice that {@link #requireSupported} lets pass. */
  PreparedLaunch launchFor(Choice choice);

  /** Traces the kernel and those that are launched before and after it: most kernels are launched alone. */
  default LaunchSequence sequenceFor(Choice choice) {
    return LaunchSequence.of(launchFor(choice));
  }

  /**
   * Traces the kernel.
   *
   * @throws IllegalArgumentException when there is no such kernel, saying why
   */
  default PreparedLaunch prepare(Choice choice) {
    requireSupported(choice);
    return launchFor(choice);
  }

  /** @throws IllegalArgumentException naming the setting and its values, or that these settings do not go together */
  default void requireSupported(Choice choice) {
    for (var setting : settings()) setting.require(choice.text(setting.name()));
  }

  /** The choice in which nothing is set. */
  default Choice defaults() {
    var values = new LinkedHashMap<String, String>();
    settings().forEach(s -> values.put(s.name(), s.values().getFirst()));
    return new Choice(values);
  }

  /**
   * The kernel in the configurations that a GPU's limits allow.
   *
   * @param capability the GPU's compute capability times ten, such as 90
   */
  default KernelDescription on(int capability) {
    return this;
  }

  /** The kernel's timing, if it has one; most kernels for GPUs that are not at hand have none. */
  default Optional<Timing> timing() {
    return Optional.empty();
  }

  /** The kernels under this name, each by its choice of options. */
  default List<Choice> variants() {
    return List.of(defaults());
  }
}
