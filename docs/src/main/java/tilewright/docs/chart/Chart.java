package tilewright.docs.chart;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Groups of bars, one bar for each series that a group has.
 *
 * @param name part of the ids within the page
 * @param axis what the horizontal axis shows, with its unit
 * @param shares whether a bar shows the value over its group's floor, and not the value itself
 */
public record Chart(String name, String title, String axis, boolean shares, List<Group> groups) {
  public Chart {
    groups = List.copyOf(groups);
    if (groups.isEmpty()) throw new IllegalArgumentException("no groups in the chart '" + title + "'");
  }

  /**
   * The bars of one problem.
   *
   * @param values by series, in the order of the bars
   * @param floor the best value that the machine permits, where that is known
   */
  public record Group(String label, Map<String, Double> values, OptionalDouble floor) {}

  /** The names of all series, in the order of their first bars. */
  List<String> series() {
    var names = new LinkedHashSet<String>();
    groups.forEach(group -> names.addAll(group.values().keySet()));
    return List.copyOf(names);
  }

  boolean hasFloor() {
    return groups.stream().anyMatch(group -> group.floor().isPresent());
  }

  /** The length of a bar in units of the axis. */
  double length(Group group, double value) {
    return shares ? 100 * value / group.floor().orElseThrow() : value;
  }

  /** The longest bar or floor. */
  double longest() {
    return groups.stream().mapToDouble(group -> Math.max(
        group.values().values().stream().mapToDouble(value -> length(group, value)).max().orElse(0),
        group.floor().isPresent() ? length(group, group.floor().getAsDouble()) : 0)).max().orElseThrow();
  }
}
