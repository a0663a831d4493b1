package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import tilewright.kernels.choice.Formula;

/**
 * A choice by numbers, one after the other: in each node the first entry with at least the number is taken. It is found
 * by asking for the choice at many points, and between two that differ for the place where it changes.
 */
sealed interface DecisionTree {
  /** The choice; negative where there is none. */
  int at(Map<String, Long> numbers);

  /** The form in JSON: a choice, or a list of the entries' limits and one of their trees. */
  Object json();

  /** A choice. */
  record Leaf(int choice) implements DecisionTree {
    @Override
    public int at(Map<String, Long> numbers) {
      return choice;
    }

    @Override
    public Object json() {
      return choice;
    }
  }

  /**
   * A choice among trees by a number.
   *
   * @param limits the largest number of each entry but the last
   */
  record Node(String axis, List<Long> limits, List<DecisionTree> entries) implements DecisionTree {
    public Node {
      limits = List.copyOf(limits);
      entries = List.copyOf(entries);
    }

    @Override
    public int at(Map<String, Long> numbers) {
      long number = numbers.get(axis);
      int entry = 0;
      while (entry < limits.size() && limits.get(entry) < number) entry++;
      return entries.get(entry).at(numbers);
    }

    @Override
    public Object json() {
      return List.of(axis, limits, entries.stream().map(DecisionTree::json).toList());
    }
  }

  /**
   * A number that the choice depends on.
   *
   * @param values where the choice is asked for, ascending
   * @param step between numbers that there are; the last of a pair of values where they are the only ones
   * @param formula the number of a problem
   */
  record Axis(String name, Formula formula, long step, List<Long> values) {
    /** The only numbers: a problem is enlarged to the next one. */
    static Axis only(String name, Formula formula, List<Long> values) {
      return new Axis(name, formula, Long.MAX_VALUE, values);
    }

    public Axis {
      values = List.copyOf(values);
    }
  }

  /** Finds the tree of a choice that is given for the axes' numbers. */
  static DecisionTree of(List<Axis> axes, ToIntFunction<Map<String, Long>> choice) {
    return of(axes, 0, new HashMap<>(), choice);
  }

  private static DecisionTree of(List<Axis> axes, int depth, Map<String, Long> point,
      ToIntFunction<Map<String, Long>> choice) {
    if (depth == axes.size()) return new Leaf(choice.applyAsInt(Map.copyOf(point)));
    var axis = axes.get(depth);
    var limits = new ArrayList<Long>();
    var entries = new ArrayList<DecisionTree>();
    long before = 0;
    for (long value : axis.values) {
      var tree = at(axes, depth, point, value, choice);
      while (!entries.isEmpty() && !entries.getLast().equals(tree)) {
        // The choice changes once or more between two values that were asked for: the first change by halves.
        long low = before;
        long high = value;
        var changed = tree;
        while (high - low > axis.step) {
          long middle = low + (high - low) / axis.step / 2 * axis.step;
          var other = at(axes, depth, point, middle, choice);
          if (other.equals(entries.getLast())) {
            low = middle;
          } else {
            high = middle;
            changed = other;
          }
        }
        limits.add(low);
        entries.add(changed);
        before = high;
      }
      if (entries.isEmpty()) entries.add(tree);
      before = value;
    }
    return entries.size() == 1 ? entries.getFirst() : new Node(axis.name, limits, entries);
  }

  private static DecisionTree at(List<Axis> axes, int depth, Map<String, Long> point, long value,
      ToIntFunction<Map<String, Long>> choice) {
    point.put(axes.get(depth).name, value);
    var tree = of(axes, depth + 1, point, choice);
    point.remove(axes.get(depth).name);
    return tree;
  }
}
