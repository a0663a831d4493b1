package tilewright.numerics;

/**
 * What a tensor core computes for one output: exact products, aligned to the largest exponent among them and the
 * accumulator, each truncated, summed exactly, and rounded once (T-FDPA, after "MMA-Sim" and the FTTN probes of
 * tensor-core arithmetic). More than {@code block} products are summed block after block.
 *
 * @param block products that one summation takes
 * @param fraction bits kept below the largest exponent
 * @param accumulator F32, truncated, or F16, rounded to nearest even
 * @param zeroExponent the exponent that a zero counts with
 */
public record TensorCoreModel(int block, int fraction, ElementType operand, ElementType accumulator, int zeroExponent) {
  private static final long CANONICAL_F32_NAN = 0x7FFFFFFFL;
  private static final long CANONICAL_F16_NAN = 0x7FFFL;

  /**
   * The model of {@code mma.sync} for f16 and bf16 operands.
   *
   * @param architecture compute capability times ten
   */
  public static TensorCoreModel mma(int architecture, ElementType operand, ElementType accumulator) {
    if (operand != ElementType.F16 && operand != ElementType.BF16 || architecture < 80
        || accumulator != ElementType.F32 && !(accumulator == ElementType.F16 && operand == ElementType.F16)) {
      throw new IllegalArgumentException("no model of " + operand.text() + " products in " + accumulator.text() + " on sm_" + architecture);
    }
    boolean hopper = architecture >= 90;
    int zero = accumulator == ElementType.F32 ? hopper ? -133 : -132 : hopper ? -22 : -21;
    return new TensorCoreModel(hopper ? 16 : 8, hopper ? 25 : 24, operand, accumulator, zero);
  }

  /** A finite number as an integer significand and the exponent of its unit; {@code exponent} is that of its leading bit. */
  private record Parts(long significand, int unit, int exponent) {}

  /** Bits of {@code c + Σ a·b}, the operands as bits of their types, in blocks of increasing index. */
  public long dot(long c, long[] a, long[] b) {
    long sum = c;
    for (int begin = 0; begin < a.length; begin += block) sum = blockDot(sum, a, b, begin, Math.min(a.length, begin + block));
    return sum;
  }

  private long blockDot(long c, long[] a, long[] b, int begin, int end) {
    double special = special(c, a, b, begin, end);
    if (Double.isNaN(special)) return accumulator == ElementType.F32 ? CANONICAL_F32_NAN : CANONICAL_F16_NAN;
    if (Double.isInfinite(special)) return accumulator.fromDouble(special, Rounding.NEAREST_EVEN);

    var terms = new Parts[end - begin + 1];
    terms[0] = parts(accumulator, c);
    for (int i = begin; i < end; i++) {
      var x = parts(operand, a[i]);
      var y = parts(operand, b[i]);
      // The exponent of a product is the sum of its factors', whether or not the significands carry.
      terms[i - begin + 1] = new Parts(x.significand * y.significand, x.unit + y.unit, x.exponent + y.exponent);
    }
    int largest = Integer.MIN_VALUE;
    for (var term : terms) largest = Math.max(largest, term.significand == 0 ? zeroExponent : term.exponent);
    int quantum = largest - fraction;
    long sum = 0;
    for (var term : terms) sum += truncated(term, quantum);
    return rounded(sum, quantum);
  }

  private static long truncated(Parts term, int quantum) {
    int shift = term.unit - quantum;
    if (shift >= 0) return term.significand << shift;
    long magnitude = -shift > 62 ? 0 : Math.abs(term.significand) >> -shift;
    return term.significand < 0 ? -magnitude : magnitude;
  }

  private long rounded(long sum, int quantum) {
    if (sum == 0) return 0;
    // The sum has at most 34 bits, so a double holds it exactly at every quantum that occurs.
    double exact = Math.scalb((double) sum, quantum);
    if (accumulator == ElementType.F16) return ElementType.F16.fromDouble(exact, Rounding.NEAREST_EVEN);
    // Truncation overflows to infinity all the same.
    if (Math.abs(exact) >= 0x1p128) return ElementType.F32.fromDouble(exact > 0 ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY, Rounding.TOWARD_ZERO);
    return ElementType.F32.fromDouble(exact, Rounding.TOWARD_ZERO);
  }

  /** NaN or an infinity where the terms demand it, else zero. */
  private double special(long c, long[] a, long[] b, int begin, int end) {
    double special = accumulator.toDouble(c);
    special = Double.isInfinite(special) || Double.isNaN(special) ? special : 0;
    for (int i = begin; i < end; i++) {
      double product = operand.toDouble(a[i]) * operand.toDouble(b[i]);
      if (Double.isInfinite(product) || Double.isNaN(product)) special += product;
    }
    return special;
  }

  private static Parts parts(ElementType type, long bits) {
    double value = type.toDouble(bits);
    if (value == 0) return new Parts(0, 0, 0);
    int fractionBits = switch (type) {
      case F16 -> 10;
      case BF16 -> 7;
      case F32 -> 23;
      default -> throw new IllegalArgumentException("no tensor-core operand of type " + type.text());
    };
    int exponent = Math.max(Math.getExponent(value), type.minExponent());
    int unit = exponent - fractionBits;
    return new Parts((long) Math.scalb(value, -unit), unit, exponent);
  }
}
