package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.kernel.Target;

/** Kernels under one name that differ in type, vector width or path. {@link Families} finds them. */
public interface Family {

  /** The name on the command line, lower case with underscores. */
  String name();

  /** What it computes, with shapes, in one line. */
  String formula();

  /** What can be set: extents first, then options, then tunings. */
  List<Setting> settings();

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

  /** Extents to measure, in the order of the settings: far larger than any cache. */
  List<List<Integer>> measured();

  /** What the kernels are written for. */
  default Target target(Choice choice) {
    return Target.SM80;
  }

  /** @throws IllegalArgumentException naming the option and its values, or that these options do not go together */
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
  }

  /** The choice in which nothing is set. */
  default Choice defaults() {
    var values = new LinkedHashMap<String, String>();
    settings().forEach(s -> values.put(s.name(), s.values().getFirst()));
    return new Choice(values);
  }

  /** Every combination of options that there is a kernel for, extents and tunings at their defaults. */
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
