package tilewright.layout.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The spellings of CuTe C++ ({@code Layout<Shape<_2,_4>,Stride<_4,_1>>{}}, {@code make_shape(2,4)}) and of CuTe's Python
 * DSL ({@code cute.make_layout((2,4), stride=(4,1))}), as the nodes that they stand for.
 */
final class CuteSpelling {
  /** Prefixes of CuTe's names, which say nothing here. */
  static final Set<String> NAMESPACES = Set.of("cute", "cutlass");

  private static final Set<String> INTEGERS = Set.of("Int", "C", "constant");
  private static final Set<String> TUPLE_TYPES = Set.of("Shape", "Stride", "Step", "Coord", "Tile", "Tiler", "IntTuple",
      "tuple");
  private static final Set<String> TUPLE_CALLS = Set.of("make_shape", "make_stride", "make_step", "make_coord",
      "make_tile", "make_tuple", "make_int_tuple");
  private static final Set<String> FREE = Set.of("X", "Underscore", "None");
  /** Names of compact strides, with the operation that computes them from a shape. */
  private static final Map<String, String> COMPACT = Map.of("LayoutLeft", "compact_col_major",
      "GenColMajor", "compact_col_major", "LayoutRight", "compact_row_major", "GenRowMajor", "compact_row_major");
  private static final Map<String, String> RENAMED = Map.of("group_modes", "group");
  /** The keywords of Python, with the places in which their operands stand. */
  private static final Map<String, Set<Integer>> KEYWORDS = Map.ofEntries(Map.entry("shape", Set.of(0, 1)),
      Map.entry("layout", Set.of(0)), Map.entry("input", Set.of(0)), Map.entry("lhs", Set.of(0)),
      Map.entry("target", Set.of(0)), Map.entry("block", Set.of(0)), Map.entry("atom", Set.of(0)),
      Map.entry("stride", Set.of(1, 2)), Map.entry("order", Set.of(1, 2)), Map.entry("tiler", Set.of(1)),
      Map.entry("rhs", Set.of(1)), Map.entry("cotarget", Set.of(1)), Map.entry("coord", Set.of(0, 1)),
      Map.entry("target_profile", Set.of(1)), Map.entry("trg_shape", Set.of(1)));

  private CuteSpelling() {}

  /** Whether a type stands for a value: then braces or nothing follow it, and parentheses hold a coordinate. */
  static boolean isType(String name, List<Node> parameters) {
    return FREE.contains(name) || COMPACT.containsKey(name) || !parameters.isEmpty() && (INTEGERS.contains(name)
        || TUPLE_TYPES.contains(name) || name.equals("Layout") || name.equals("ComposedLayout"));
  }

  /** Whether an operand with this keyword may stand in that place. */
  static boolean isKeyword(String name, int place) {
    return KEYWORDS.getOrDefault(name, Set.of()).contains(place);
  }

  /** The value of a type; nothing if it has other parameters than that. */
  static Optional<Node> type(String name, List<Node> parameters, int position) {
    if (FREE.contains(name)) return Optional.of(new Node.Free(position));
    if (COMPACT.containsKey(name)) return Optional.of(new Node.Call(name, List.of(), position));
    if (TUPLE_TYPES.contains(name)) return Optional.of(new Node.Tuple(parameters, position));
    if (INTEGERS.contains(name)) {
      return Optional.of(parameters.getFirst()).filter(n -> parameters.size() == 1 && n instanceof Node.Number);
    }
    if (name.equals("ComposedLayout")) return composed(parameters);
    return parameters.size() > 2 ? Optional.empty() : Optional.of(layout(parameters, position));
  }

  /** The call, as this language has it; nothing if its operands do not make it one. */
  static Optional<Node> call(String name, List<Node> operands, int position) {
    if (TUPLE_CALLS.contains(name)) return Optional.of(new Node.Tuple(operands, position));
    return switch (name) {
      case "make_layout" -> Optional.of(layout(operands, position));
      case "make_composed_layout" -> composed(operands);
      case "make_swizzle" -> swizzle(operands, position);
      // The DSL names the layout first.
      case "slice_" -> Optional.of(new Node.Call("slice", operands.reversed(), position));
      case "recast_layout" -> operands.size() != 3 ? Optional.empty() : Optional.of(
          new Node.Call("recast", List.of(operands.get(2), operands.get(1), operands.get(0)), position));
      default -> Optional.of(new Node.Call(RENAMED.getOrDefault(name, name), operands, position));
    };
  }

  /** {@code make_layout}; strides may be the name of a compact order. */
  private static Node layout(List<Node> operands, int position) {
    var given = new ArrayList<>(operands);
    if (given.size() == 2 && given.get(1) instanceof Node.Call(String order, List<Node> none, int at)
        && none.isEmpty() && COMPACT.containsKey(order)) {
      given.set(1, new Node.Call(COMPACT.get(order), List.of(given.getFirst()), at));
    }
    return new Node.Call("make_layout", List.copyOf(given), position);
  }

  private static Optional<Node> composed(List<Node> operands) {
    return operands.size() == 3 && operands.get(1) instanceof Node.Number offset
        ? Optional.of(new Node.Composed(operands.get(0), offset, operands.get(2))) : Optional.empty();
  }

  private static Optional<Node> swizzle(List<Node> operands, int position) {
    if (operands.size() == 3 && operands.get(0) instanceof Node.Number bits && operands.get(1) instanceof Node.Number base
        && operands.get(2) instanceof Node.Number shift) {
      return Optional.of(new Node.Swizzled(bits.value(), base.value(), shift.value(), position));
    }
    return Optional.empty();
  }
}
