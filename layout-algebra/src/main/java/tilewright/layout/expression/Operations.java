package tilewright.layout.expression;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All operations of the language. */
public final class Operations {
  private static final Map<String, Operation> BY_NAME = groups().stream().flatMap(group -> group.operations().stream())
      .collect(Collectors.toMap(Operation::name, Function.identity()));

  private Operations() {}

  /** Operations that belong together. */
  public record Group(String title, List<Operation> operations) {}

  /** Every operation, in the order in which a reader meets them. */
  public static List<Group> groups() {
    return List.of(
        new Group("Layouts and their modes", StructureOperations.LIST),
        new Group("Construction and slices", ConstructionOperations.LIST),
        new Group("Algebra", AlgebraOperations.LIST),
        new Group("Widths, threads and properties", WidthOperations.LIST),
        new Group("Swizzles and tables", BitOperations.LIST),
        new Group("Permutations", PermutationOperations.LIST),
        new Group("Morphisms of tuples", MorphismOperations.LIST),
        new Group("Refinements of tuples", RefinementOperations.LIST),
        new Group("Arithmetic of tuples and coordinates", TupleOperations.ARITHMETIC),
        new Group("Orders of tuples", TupleOperations.ORDERS));
  }

  static Optional<Operation> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** The name that was probably meant: at most every third letter is wrong; of several the first in the alphabet. */
  static Optional<String> closest(String name) {
    var closest = Optional.<String>empty();
    int least = Math.max(1, name.length() / 3) + 1;
    for (var candidate : BY_NAME.keySet().stream().sorted().toList()) {
      int distance = distance(name, candidate);
      if (distance < least) {
        least = distance;
        closest = Optional.of(candidate);
      }
    }
    return closest;
  }

  /** Levenshtein's edit distance. */
  private static int distance(String a, String b) {
    var previous = new int[b.length() + 1];
    for (int j = 0; j < previous.length; j++) previous[j] = j;
    for (int i = 1; i <= a.length(); i++) {
      var row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(previous[j], row[j - 1]) + 1);
      }
      previous = row;
    }
    return previous[b.length()];
  }
}
