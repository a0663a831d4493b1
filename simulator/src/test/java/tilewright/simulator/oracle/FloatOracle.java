package tilewright.simulator.oracle;

import java.util.List;
import java.util.function.BinaryOperator;
import tilewright.simulator.oracle.Format.Rounding;

/** Floating-point instructions on one value of one format, by exact fractions and one rounding. */
final class FloatOracle {
  private final Format format;
  private final List<String> modifiers;
  private final boolean flush;
  private final Rounding mode;

  FloatOracle(Format format, List<String> modifiers) {
    this.format = format;
    this.modifiers = modifiers;
    flush = modifiers.contains("ftz");
    mode = rounding(modifiers);
  }

  static Rounding rounding(List<String> modifiers) {
    for (var m : modifiers) {
      switch (m) {
        case "rz", "rzi" -> {
          return Rounding.ZERO;
        }
        case "rm", "rmi" -> {
          return Rounding.DOWN;
        }
        case "rp", "rpi" -> {
          return Rounding.UP;
        }
        case "rna" -> {
          return Rounding.NEAREST_AWAY;
        }
        default -> {}
      }
    }
    return Rounding.NEAREST_EVEN;
  }

  /** Applies the opcode to operands of the format. */
  long apply(String opcode, long[] in) {
    long[] x = in.clone();
    if (flush) for (int i = 0; i < x.length; i++) x[i] = format.flush(x[i]);
    long result = switch (opcode) {
      case "add" -> add(x[0], x[1]);
      case "sub" -> add(x[0], format.isNan(x[1]) ? x[1] : x[1] ^ format.sign());
      case "mul" -> fma(x[0], x[1], signOf(x[0], x[1]));
      case "fma", "mad" -> fma(x[0], x[1], x[2]);
      case "div" -> divide(x[0], x[1], false);
      case "rcp" -> divide(one(), x[0], true);
      case "sqrt" -> squareRoot(x[0]);
      case "neg" -> format.isNan(x[0]) ? nanOf(x[0]) : x[0] ^ format.sign();
      case "abs" -> format.isNan(x[0]) ? nanOf(x[0]) : format.magnitude(x[0]);
      case "min" -> extremum(x[0], x[1], (a, b) -> a <= b ? a : b);
      case "max" -> extremum(x[0], x[1], (a, b) -> a >= b ? a : b);
      case "copysign" -> format.magnitude(x[1]) | x[0] & format.sign();
      default -> throw new IllegalArgumentException("no definition of " + opcode);
    };
    return finish(result);
  }

  /**
   * Rounds an exact result. With {@code .ftz}, halves and reciprocals are flushed by their size before rounding, as
   * recorded on an H200.
   */
  private long round(Fraction exact, boolean negativeZero, boolean early) {
    boolean flushed = flush && early && exact.signum() != 0 && exact.abs().exponent() < format.least();
    if (flushed) return exact.signum() < 0 ? format.sign() : 0;
    return format.round(exact, negativeZero, mode);
  }

  private long finish(long exact) {
    long result = exact;
    if (flush) result = format.flush(result);
    if (modifiers.contains("sat")) result = saturate(format, result);
    if (modifiers.contains("relu") && format.negative(result) && !format.isNan(result)) result = 0;
    return result;
  }

  static long saturate(Format format, long value) {
    if (format.isNan(value) || format.negative(value)) return 0;
    long one = format.round(Fraction.ONE, false, Rounding.ZERO);
    return Math.min(value, one);
  }

  private long one() {
    return format.round(Fraction.ONE, false, Rounding.ZERO);
  }

  private long signOf(long a, long b) {
    return (a ^ b) & format.sign();
  }

  /** What an operation with a NaN operand gives: f64 keeps one, quiet, by the order of preference. */
  private long nanOf(long... operands) {
    if (format != Format.F64) return format.nan();
    for (long x : operands) if (format.isNan(x)) return x | 1L << format.fractionBits - 1;
    return format.nan();
  }

  private long add(long a, long b) {
    if (format.isNan(a) || format.isNan(b)) return nanOf(b, a);
    if (format.isInfinite(a)) return format.isInfinite(b) && a != b ? format.nan() : a;
    if (format.isInfinite(b)) return b;
    return sum(format.value(a), format.negative(a), format.value(b), format.negative(b));
  }

  /** An exact zero has the operands' common sign, else that of the rounding mode. */
  private long sum(Fraction a, boolean aNegative, Fraction b, boolean bNegative) {
    boolean both = aNegative == bNegative && a.signum() == 0 && b.signum() == 0;
    return round(a.plus(b), both ? aNegative : mode == Rounding.DOWN, format == Format.F16);
  }

  private long fma(long a, long b, long c) {
    if (format.isNan(a) || format.isNan(b) || format.isNan(c)) return nanOf(b, c, a);
    boolean negative = signOf(a, b) != 0;
    if (format.isInfinite(a) || format.isInfinite(b)) {
      if (format.isZero(a) || format.isZero(b)) return format.nan();
      long product = format.infinity() | signOf(a, b);
      return format.isInfinite(c) && c != product ? format.nan() : product;
    }
    if (format.isInfinite(c)) return c;
    return sum(format.value(a).times(format.value(b)), negative, format.value(c), format.negative(c));
  }

  private long divide(long a, long b, boolean early) {
    if (format.isNan(a) || format.isNan(b)) return nanOf(a, b);
    long sign = signOf(a, b);
    if (format.isInfinite(a)) return format.isInfinite(b) ? format.nan() : format.infinity() | sign;
    if (format.isInfinite(b)) return sign;
    if (format.isZero(b)) return format.isZero(a) ? format.nan() : format.infinity() | sign;
    return round(format.value(a).dividedBy(format.value(b)), sign != 0, early);
  }

  private long squareRoot(long a) {
    if (format.isNan(a)) return nanOf(a);
    if (format.isZero(a)) return a;
    if (format.negative(a)) return format.nan();
    return format.isInfinite(a) ? a : format.round(format.value(a).squareRoot(), false, mode);
  }

  /** Orders zeros by sign; a number wins over a NaN unless asked otherwise. */
  private long extremum(long a, long b, BinaryOperator<Long> choose) {
    if (format.isNan(a) || format.isNan(b)) {
      boolean none = modifiers.contains("NaN") || format.isNan(a) && format.isNan(b);
      if (none) return nanOf(b, a);
      long number = format.isNan(a) ? b : a;
      return modifiers.contains("abs") ? format.magnitude(number) | signOf(a, b) : number;
    }
    if (modifiers.contains("abs")) {
      return choose.apply(format.magnitude(a), format.magnitude(b)) | signOf(a, b);
    }
    return choose.apply(ordered(a), ordered(b)) == ordered(a) ? a : b;
  }

  private long ordered(long a) {
    return format.negative(a) ? -1 - format.magnitude(a) : a;
  }

  /** A comparison of set and setp. */
  boolean compare(String operator, long left, long right) {
    long a = flush ? format.flush(left) : left;
    long b = flush ? format.flush(right) : right;
    boolean unordered = format.isNan(a) || format.isNan(b);
    if (operator.equals("num")) return !unordered;
    if (operator.equals("nan")) return unordered;
    if (unordered) return operator.length() == 3;
    int order = Long.compare(format.isZero(a) ? 0 : ordered(a), format.isZero(b) ? 0 : ordered(b));
    return holds(operator.substring(0, 2), order);
  }

  static boolean holds(String operator, int order) {
    return switch (operator) {
      case "eq" -> order == 0;
      case "ne" -> order != 0;
      case "lt", "lo" -> order < 0;
      case "le", "ls" -> order <= 0;
      case "gt", "hi" -> order > 0;
      case "ge", "hs" -> order >= 0;
      default -> throw new IllegalArgumentException("no comparison " + operator);
    };
  }

  boolean test(String property, long a) {
    boolean finite = format.magnitude(a) < format.infinity();
    return switch (property) {
      case "finite" -> finite;
      case "infinite" -> format.isInfinite(a);
      case "number" -> !format.isNan(a);
      case "notanumber" -> format.isNan(a);
      // Zero counts as normal here (PTX ISA, testp).
      case "normal" -> finite && !format.isSubnormal(a);
      case "subnormal" -> format.isSubnormal(a);
      default -> throw new IllegalArgumentException("no property " + property);
    };
  }
}
