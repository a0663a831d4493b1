package tilewright.layout.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.LongBinaryOperator;

/** CuTe's arithmetic on integer tuples (int_tuple.hpp), exact: what does not fit in 64 bits is an error. */
public final class TupleArithmetic {
  private TupleArithmetic() {}

  /** The sum of all integers; 0 for none. */
  public static long sum(IntTuple a) {
    return a.leaves().reduce(0, Math::addExact);
  }

  /** @throws IllegalArgumentException for a tuple without integers */
  public static long max(IntTuple a) {
    return a.leaves().max().orElseThrow(() -> withoutIntegers("maximum", a));
  }

  /** @throws IllegalArgumentException for a tuple without integers */
  public static long min(IntTuple a) {
    return a.leaves().min().orElseThrow(() -> withoutIntegers("minimum", a));
  }

  /** The greatest common divisor of all integers, at least 0; 0 for none. */
  public static long gcd(IntTuple a) {
    return a.leaves().reduce(0, TupleArithmetic::gcd);
  }

  public static long gcd(long a, long b) {
    return b == 0 ? Math.absExact(a) : gcd(b, a % b);
  }

  /** The size of each mode; of an integer, the integer. */
  public static IntTuple productEach(IntTuple a) {
    return a instanceof IntTuple.Leaf ? a : IntTuple.of(a.modes().stream().map(m -> IntTuple.of(m.size())).toList());
  }

  /**
   * The sizes of what stands at each integer of the guide.
   *
   * @throws IllegalArgumentException unless the guide is weakly congruent to {@code a}
   */
  public static IntTuple productLike(IntTuple a, IntTuple guide) {
    if (guide instanceof IntTuple.Leaf) return IntTuple.of(a.size());
    requireEqualRank("product_like", a, guide);
    return zipped(a, guide, TupleArithmetic::productLike);
  }

  /**
   * Σ of the products leaf by leaf.
   *
   * @throws IllegalArgumentException unless both are congruent
   */
  public static long innerProduct(IntTuple a, IntTuple b) {
    requireCongruent("inner product", a, b);
    long[] left = a.flatten();
    long[] right = b.flatten();
    long sum = 0;
    for (int i = 0; i < left.length; i++) sum = Math.addExact(sum, Math.multiplyExact(left[i], right[i]));
    return sum;
  }

  /** The product, at each integer, of those left of it. */
  public static IntTuple prefixProduct(IntTuple a) {
    return prefixProduct(a, IntTuple.of(1));
  }

  /**
   * The initial value, at each integer, times the product of those left of it; a tuple of initial values starts each of
   * its modes anew.
   *
   * @throws IllegalArgumentException unless {@code initial} is weakly congruent to {@code a}
   */
  public static IntTuple prefixProduct(IntTuple a, IntTuple initial) {
    if (initial instanceof IntTuple.Leaf leaf) return running(a, new long[] {leaf.value()}, false);
    requireEqualRank("prefix product", a, initial);
    return zipped(a, initial, TupleArithmetic::prefixProduct);
  }

  /** The product, at each integer, of those right of it. */
  public static IntTuple suffixProduct(IntTuple a) {
    return suffixProduct(a, IntTuple.of(1));
  }

  /** Like {@link #prefixProduct(IntTuple, IntTuple)}, from the right. */
  public static IntTuple suffixProduct(IntTuple a, IntTuple initial) {
    if (initial instanceof IntTuple.Leaf leaf) return running(a, new long[] {leaf.value()}, true);
    requireEqualRank("suffix product", a, initial);
    return zipped(a, initial, TupleArithmetic::suffixProduct);
  }

  private static IntTuple running(IntTuple a, long[] product, boolean fromRight) {
    if (a instanceof IntTuple.Leaf leaf) {
      long before = product[0];
      product[0] = Math.multiplyExact(before, leaf.value());
      return IntTuple.of(before);
    }
    var modes = fromRight ? a.modes().reversed() : a.modes();
    var products = modes.stream().map(m -> running(m, product, fromRight)).toList();
    return IntTuple.of(fromRight ? products.reversed() : products);
  }

  /**
   * ⌈a / b⌉: leaf by leaf for two tuples, b's missing modes counting as 1; by b's size for an integer a; for an integer
   * b, from left to right, each mode by what of b those before it leave over.
   *
   * @throws IllegalArgumentException where b has more modes than a, or an integer below 1
   */
  public static IntTuple ceilDiv(IntTuple a, IntTuple b) {
    return switch (a) {
      case IntTuple.Leaf leaf -> IntTuple.of(Math.ceilDiv(leaf.value(), positive(b.size(), b)));
      case IntTuple.Tuple _ when b instanceof IntTuple.Leaf leaf -> folded(a, new long[] {positive(leaf.value(), b)});
      case IntTuple.Tuple _ -> leafwise("ceil_div", a, b, TupleArithmetic::ceilDiv);
    };
  }

  private static IntTuple folded(IntTuple a, long[] divisor) {
    if (a instanceof IntTuple.Leaf leaf) {
      long by = divisor[0];
      divisor[0] = leaf.value() == 0 ? 1 : Math.ceilDiv(by, leaf.value());
      return IntTuple.of(Math.ceilDiv(leaf.value(), by));
    }
    return IntTuple.of(a.modes().stream().map(m -> folded(m, divisor)).toList());
  }

  /**
   * a rounded up to multiples of b: leaf by leaf for two tuples, b's missing modes counting as 1; to multiples of b's
   * size for an integer a.
   *
   * @throws IllegalArgumentException where a tuple is to be rounded to an integer, which says not which mode grows
   */
  public static IntTuple roundUp(IntTuple a, IntTuple b) {
    return switch (a) {
      case IntTuple.Leaf leaf -> {
        long unit = positive(b.size(), b);
        yield IntTuple.of(Math.multiplyExact(Math.ceilDiv(leaf.value(), unit), unit));
      }
      case IntTuple.Tuple _ when b instanceof IntTuple.Leaf ->
          throw new IllegalArgumentException("round_up(" + a + ", " + b + "): round to a tuple, as in (" + b + ")");
      case IntTuple.Tuple _ -> leafwise("round_up", a, b, TupleArithmetic::roundUp);
    };
  }

  /**
   * Leaf by leaf a times the size of what stands there in b.
   *
   * @throws IllegalArgumentException unless a is weakly congruent to b
   */
  public static IntTuple elemScale(IntTuple a, IntTuple b) {
    if (a instanceof IntTuple.Leaf leaf) return IntTuple.of(Math.multiplyExact(leaf.value(), b.size()));
    requireEqualRank("elem_scale", a, b);
    return zipped(a, b, TupleArithmetic::elemScale);
  }

  /** Whether a is a whole number of b: by mode for a tuple b, whose missing modes count as 1. */
  public static boolean evenlyDivides(IntTuple a, IntTuple b) {
    if (b instanceof IntTuple.Leaf leaf) {
      return leaf.value() > 0 && a.size() == Math.multiplyExact(leaf.value(), ceilDiv(a, b).size());
    }
    if (a instanceof IntTuple.Leaf || a.rank() < b.rank()) return false;
    for (int i = 0; i < b.rank(); i++) {
      if (!evenlyDivides(a.mode(i), b.mode(i))) return false;
    }
    return true;
  }

  /** a ⊙ b leaf by leaf, for {@code congruent} tuples. */
  public static IntTuple leaves(String operation, IntTuple a, IntTuple b, LongBinaryOperator f) {
    requireCongruent(operation, a, b);
    if (a instanceof IntTuple.Leaf left && b instanceof IntTuple.Leaf right) {
      return IntTuple.of(f.applyAsLong(left.value(), right.value()));
    }
    return zipped(a, b, (x, y) -> leaves(operation, x, y, f));
  }

  private static IntTuple leafwise(String operation, IntTuple a, IntTuple b, BinaryOperator<IntTuple> f) {
    if (b.rank() > a.rank()) {
      throw new IllegalArgumentException(operation + "(" + a + ", " + b + "): " + b + " has more modes than " + a);
    }
    var modes = new ArrayList<>(a.modes());
    for (int i = 0; i < b.rank(); i++) modes.set(i, f.apply(a.mode(i), b.mode(i)));
    return IntTuple.of(modes);
  }

  private static IntTuple zipped(IntTuple a, IntTuple b, BinaryOperator<IntTuple> f) {
    var modes = new ArrayList<IntTuple>();
    for (int i = 0; i < a.rank(); i++) modes.add(f.apply(a.mode(i), b.mode(i)));
    return IntTuple.of(List.copyOf(modes));
  }

  public static void requireEqualRank(String operation, IntTuple a, IntTuple b) {
    if (a instanceof IntTuple.Leaf || b instanceof IntTuple.Leaf || a.rank() != b.rank()) {
      throw new IllegalArgumentException(operation + ": " + a + " and " + b + " are not tuples of one rank");
    }
  }

  private static void requireCongruent(String operation, IntTuple a, IntTuple b) {
    if (!a.isCongruentTo(b)) {
      throw new IllegalArgumentException(operation + ": " + a + " and " + b + " are not congruent");
    }
  }

  private static long positive(long divisor, IntTuple b) {
    if (divisor < 1) throw new IllegalArgumentException("divisor " + b
        + " is below 1: divide by extents of at least 1");
    return divisor;
  }

  private static IllegalArgumentException withoutIntegers(String what, IntTuple a) {
    return new IllegalArgumentException("no " + what + " in " + a + ", which has no integers");
  }
}
