package tilewright.kernels.registry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;

/**
 * Kernels under one name that differ in type, vector width or path, and that say all about themselves: tensors, the
 * reference, and the problems to verify and to time. Every command works on a family by its {@link Workload} alone.
 */
public interface Family extends KernelDescription {

  /** The kernel and its tensors for one choice. */
  Workload workload(Choice choice);

  /** Whether there is a kernel for these options. */
  default boolean supports(Choice choice) {
    return true;
  }

  /** Extents that cannot be 0, by name. */
  default Set<String> positive() {
    return Set.of();
  }

  /** Extents that break kernels, in the order of the settings: zero, one, primes, one below and above a tile. */
  List<List<Integer>> awkward();

  /** The elements that a launch computes, about: the product of all extents, unless the family says otherwise. */
  default long elements(Choice choice) {
    return settings().stream().filter(Setting::extent).mapToLong(s -> choice.number(s.name()))
        .reduce(1, (a, b) -> a * b);
  }

  /** Extents to measure, in the order of the settings: far larger than any cache. */
  List<List<Integer>> measured();

  /** The target that the family's kernels are compiled for. */
  default Target target(Choice choice) {
    return Target.SM80;
  }

  @Override
  default Target target() {
    return target(defaults());
  }

  @Override
  default Family on(int capability) {
    return this;
  }

  @Override
  default PreparedLaunch launchFor(Choice choice) {
    return workload(choice).launch();
  }

  @Override
  default Optional<Timing> timing() {
    return Optional.of(new FamilyTiming(this));
  }

  @Override
  default void requireSupported(Choice choice) {
    for (var setting : settings()) {
      if (setting.extent()) {
        int least = positive().contains(setting.name()) ? 1 : 0;
        if (choice.number(setting.name()) < least) {
          throw new IllegalArgumentException("invalid " + setting.name() + "=0: needed is 1 at least");
        }
      } else if (!setting.allows(choice.text(setting.name()))) {
        throw new IllegalArgumentException("invalid " + setting.name() + "=" + choice.text(setting.name()) + ": "
            + String.join(" or ", setting.values()));
      }
    }
    if (!supports(choice)) throw new IllegalArgumentException("there is no " + name() + " with " + choice
        + ": these options do not go together");
    requireTunings(choice);
  }

  /** Traces the kernel where tunings are set: only that shows whether numbers go together with all else. */
  private void requireTunings(Choice choice) {
    var tunings = settings().stream().filter(setting -> setting.kind() == Setting.Kind.TUNING)
        .filter(setting -> !choice.text(setting.name()).equals(setting.values().getFirst()))
        .map(setting -> setting.name() + "=" + choice.text(setting.name())).toList();
    if (tunings.isEmpty()) return;
    try {
      workload(choice);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("there is no " + name() + " with " + String.join(" ", tunings) + ": "
          + e.getMessage() + "; leave tunings out, or try others", e);
    }
  }

  /** Every combination of options that there is a kernel for, extents and tunings at their defaults. */
  @Override
  default List<Choice> variants() {
    var all = List.of(defaults());
    for (var setting : settings()) {
      if (!setting.option()) continue;
      var next = new ArrayList<Choice>();
      for (var choice : all) setting.values().forEach(v -> next.add(choice.with(Map.of(setting.name(), v))));
      all = next;
    }
    return all.stream().filter(this::supports).toList();
  }

  /** A variant with these extents, in the order of the settings. */
  default Choice sized(Choice variant, List<Integer> extents) {
    var names = settings().stream().filter(Setting::extent).map(Setting::name).toList();
    var values = new LinkedHashMap<String, String>();
    for (int i = 0; i < names.size(); i++) values.put(names.get(i), extents.get(i).toString());
    return variant.with(values);
  }
}
