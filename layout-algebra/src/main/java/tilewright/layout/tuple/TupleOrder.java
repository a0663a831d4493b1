package tilewright.layout.tuple;

import java.util.List;
import java.util.function.LongPredicate;

/**
 * CuTe's three orders on integer tuples. Lexicographic and colexicographic order compare the first, or the last,
 * differing integer, a proper beginning (ending) being less; they are total on congruent tuples. The element-wise order
 * compares every integer and is partial: of (1,5) and (2,3) neither is at most the other.
 */
public final class TupleOrder {
  private TupleOrder() {}

  /** Whether every integer of a is less than b's; modes that only b has do not count. */
  public static boolean elemLess(IntTuple a, IntTuple b) {
    return elementwise(a, b, difference -> difference < 0);
  }

  /**
   * Whether every integer of a is at most b's. (CuTe's elem_leq is the negation of elem_less(b, a), which is weaker.)
   */
  public static boolean elemLeq(IntTuple a, IntTuple b) {
    return elementwise(a, b, difference -> difference <= 0);
  }

  public static boolean elemGtr(IntTuple a, IntTuple b) {
    return elemLess(b, a);
  }

  public static boolean elemGeq(IntTuple a, IntTuple b) {
    return elemLeq(b, a);
  }

  public static boolean lexLess(IntTuple a, IntTuple b) {
    return compare(a, b, false) < 0;
  }

  public static boolean lexLeq(IntTuple a, IntTuple b) {
    return compare(a, b, false) <= 0;
  }

  public static boolean lexGtr(IntTuple a, IntTuple b) {
    return compare(a, b, false) > 0;
  }

  public static boolean lexGeq(IntTuple a, IntTuple b) {
    return compare(a, b, false) >= 0;
  }

  public static boolean colexLess(IntTuple a, IntTuple b) {
    return compare(a, b, true) < 0;
  }

  public static boolean colexLeq(IntTuple a, IntTuple b) {
    return compare(a, b, true) <= 0;
  }

  public static boolean colexGtr(IntTuple a, IntTuple b) {
    return compare(a, b, true) > 0;
  }

  public static boolean colexGeq(IntTuple a, IntTuple b) {
    return compare(a, b, true) >= 0;
  }

  private static boolean elementwise(IntTuple a, IntTuple b, LongPredicate holds) {
    if (a instanceof IntTuple.Leaf left && b instanceof IntTuple.Leaf right) {
      return holds.test(Long.compare(left.value(), right.value()));
    }
    requireTuples(a, b);
    if (a.rank() > b.rank()) return false;
    for (int i = 0; i < a.rank(); i++) {
      if (!elementwise(a.mode(i), b.mode(i), holds)) return false;
    }
    return true;
  }

  private static int compare(IntTuple a, IntTuple b, boolean fromRight) {
    if (a instanceof IntTuple.Leaf left && b instanceof IntTuple.Leaf right) {
      return Long.compare(left.value(), right.value());
    }
    requireTuples(a, b);
    var left = ordered(a, fromRight);
    var right = ordered(b, fromRight);
    for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
      int order = compare(left.get(i), right.get(i), fromRight);
      if (order != 0) return order;
    }
    return Integer.compare(left.size(), right.size());
  }

  private static List<IntTuple> ordered(IntTuple a, boolean fromRight) {
    return fromRight ? a.modes().reversed() : a.modes();
  }

  private static void requireTuples(IntTuple a, IntTuple b) {
    if (a instanceof IntTuple.Leaf || b instanceof IntTuple.Leaf) {
      throw new IllegalArgumentException("no order between " + a + " and " + b
          + ": an integer compares with an integer");
    }
  }
}
