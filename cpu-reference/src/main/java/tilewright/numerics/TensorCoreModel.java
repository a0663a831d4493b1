package tilewright.numerics;

/**
 * A tensor core's arithmetic for one output: exact products are aligned to the largest exponent among them and the
 * accumulator, truncated, summed exactly, and rounded once (T-FDPA, after "MMA-Sim" and the FTTN probes of tensor-core
 * arithmetic). More than {@code block} products are summed block after block.
 *
 * @param block products that one summation takes
 * @param fraction bits kept below the largest exponent
 * @param a type of the first factors
 * @param b type of the second factors
 * @param accumulator F32, truncated, or F16, rounded to nearest even
 * @param dropped last bits of an FP32 significand that a sum does not keep
 * @param zeroExponent the exponent that a zero counts with
 */
public record TensorCoreModel(int block, int fraction, ElementType a, ElementType b, ElementType accumulator,
    int dropped, int zeroExponent) {
  private static final long CANONICAL_F32_NAN = 0x7FFFFFFFL;
  private static final long CANONICAL_F16_NAN = 0x7FFFL;

  /** Largest exponents of a block that can be computed in FP64 and gives a normal FP32 number or zero. */
  private static final int DIRECT_MIN = -100;
  private static final int DIRECT_MAX = 300;
  /** The last bit of a double that an FP32 number has too. */
  private static final long BELOW_SINGLE = 1L << 29;
  private static final int NARROW_FRACTION = 13;
  private static final int ADA = 89;
  private static final int CONSUMER_BLACKWELL = 120;

  /**
   * The model of {@code mma.sync} for f16, bf16 and tf32 factors.
   *
   * @param architecture compute capability times ten, 80 or more
   * @throws IllegalArgumentException if tensor cores have no such instruction
   */
  public static TensorCoreModel mma(int architecture, ElementType operand, ElementType accumulator) {
    boolean multiplied = switch (operand) {
      case F16 -> accumulator == ElementType.F32 || accumulator == ElementType.F16;
      case BF16, TF32 -> accumulator == ElementType.F32;
      default -> false;
    };
    if (!multiplied || architecture < 80) {
      throw new IllegalArgumentException("no model of " + operand.text() + " products in " + accumulator.text()
          + " on sm_" + architecture + ": f16, bf16 and tf32 into f32 and f16 into f16 are known from sm_80 on");
    }
    boolean hopper = architecture >= 90;
    int block = (hopper ? 16 : 8) / (operand == ElementType.TF32 ? 2 : 1);
    int zero = (accumulator == ElementType.F32 ? -132 : -20) - (hopper ? 1 : 0);
    return new TensorCoreModel(block, hopper ? 25 : 24, operand, operand, accumulator, 0, zero);
  }

  /**
   * The model of {@code mma.sync} for 8-bit floats with sums in FP32: those of sm_89 keep 13 fraction bits, those
   * of sm_120 are taken to be {@code tcgen05.mma}'s, which no GPU has shown. In between, {@code mma} multiplies halves.
   *
   * @param architecture compute capability times ten
   * @throws IllegalArgumentException if tensor cores multiply no such factors themselves
   */
  public static TensorCoreModel mmaOfBytes(int architecture, ElementType a, ElementType b) {
    if (isNarrow(a) && isNarrow(b) && architecture == ADA) {
      return new TensorCoreModel(16, NARROW_FRACTION, a, b, ElementType.F32, 23 - NARROW_FRACTION, -132);
    }
    if (isNarrow(a) && isNarrow(b) && architecture >= CONSUMER_BLACKWELL) return tcgen05(a, b);
    throw new IllegalArgumentException("no model of mma of " + a.text() + " by " + b.text() + " on sm_" + architecture
        + ": 8-bit floats on sm_89 and from sm_120 on");
  }

  /**
   * The model of {@code wgmma} (SM90) with sums in FP32; those of 8-bit factors keep 13 fraction bits.
   *
   * @throws IllegalArgumentException if there is no such instruction
   */
  public static TensorCoreModel wgmma(ElementType a, ElementType b) {
    if (isNarrow(a) && isNarrow(b)) {
      return new TensorCoreModel(32, NARROW_FRACTION, a, b, ElementType.F32, 23 - NARROW_FRACTION, -133);
    }
    if (a != b) {
      throw new IllegalArgumentException("no wgmma multiplies " + a.text() + " by " + b.text()
          + ": only e4m3 and e5m2 mix");
    }
    return mma(90, a, ElementType.F32);
  }

  /**
   * The model of {@code wgmma} (SM90) with sums in a type: FP32, or f16 where the factors are.
   *
   * @throws IllegalArgumentException if there is no such instruction
   */
  public static TensorCoreModel wgmma(ElementType a, ElementType b, ElementType accumulator) {
    return accumulator == ElementType.F16 && a == b ? mma(90, a, accumulator) : wgmma(a, b);
  }

  /**
   * The model of {@code tcgen05.mma} (SM100) without scales, with sums in FP32.
   *
   * @throws IllegalArgumentException if there is no such instruction
   */
  public static TensorCoreModel tcgen05(ElementType a, ElementType b) {
    if (isNarrow(a) && isNarrow(b)) return new TensorCoreModel(32, 25, a, b, ElementType.F32, 0, -133);
    if (a != b) {
      throw new IllegalArgumentException("no tcgen05.mma multiplies " + a.text() + " by " + b.text()
          + ": only 8-bit floats mix");
    }
    return mma(100, a, ElementType.F32);
  }

  private static boolean isNarrow(ElementType type) {
    return type == ElementType.E4M3 || type == ElementType.E5M2;
  }

  /** A finite number: an integer significand, the exponent of its unit, and that of its leading bit. */
  private record Parts(long significand, int unit, int exponent) {}

  /** Bits of {@code c + Σ x·y}, the factors as bits of their types, in blocks of increasing index. */
  public long dot(long c, long[] x, long[] y) {
    long sum = c;
    for (int begin = 0; begin < x.length; begin += block) {
      sum = blockDot(sum, x, y, begin, Math.min(x.length, begin + block));
    }
    return sum;
  }

  /** Sums products of decoded factors: the same bits, several times as fast. */
  public long dot(long c, TensorCoreOperands x, TensorCoreOperands y) {
    if (x.count() != y.count()) {
      throw new IllegalArgumentException("a dot product needs equally many factors, got " + x.count() + " and "
          + y.count());
    }
    return dot(c, x, y, 0, x.count());
  }

  /** Sums products of the decoded factors from one index to before another. */
  public long dot(long c, TensorCoreOperands x, TensorCoreOperands y, int from, int to) {
    if (x.type() != a || y.type() != b) {
      throw new IllegalArgumentException("this dot product is of " + a.text() + " and " + b.text() + ", got "
          + x.type().text() + " and " + y.type().text());
    }
    long sum = c;
    for (int begin = from; begin < to; begin += block) sum = blockDot(sum, x, y, begin, Math.min(to, begin + block));
    return sum;
  }

  /**
   * Sums a block in doubles where nothing can go wrong: all terms are finite, a zero is not the largest, and the sum is
   * not subnormal. A product has at most 22 bits and the sum 34, so they are exact; a cast to long truncates.
   */
  private long blockDot(long c, TensorCoreOperands x, TensorCoreOperands y, int begin, int end) {
    double old = accumulator.toDouble(c);
    int largest = Math.max(TensorCoreOperands.exponent(old, accumulator.minExponent()),
        TensorCoreOperands.largestExponent(x, y, begin, end));
    if (largest < Math.max(zeroExponent, DIRECT_MIN) || largest > DIRECT_MAX) {
      return blockDot(c, x.bits(begin, end), y.bits(begin, end), 0, end - begin);
    }
    double scale = powerOfTwo(fraction - largest);
    long sum = (long) (old * scale) + TensorCoreOperands.truncatedSum(x, y, begin, end, scale);
    double exact = sum * powerOfTwo(largest - fraction);
    return accumulator == ElementType.F16 ? nearestHalf(exact) : kept(truncatedSingle(exact));
  }

  /** An FP32 number without the bits that sums do not keep. */
  private long kept(long single) {
    return unsignedZero(single & -1L << dropped, ElementType.F32);
  }

  private static double powerOfTwo(int exponent) {
    return Double.longBitsToDouble((long) (exponent + Double.MAX_EXPONENT) << 52);
  }

  /** Toward zero; beyond the largest FP32 number it is infinity. Not for results that are subnormal FP32 numbers. */
  private static long truncatedSingle(double exact) {
    double truncated = Double.longBitsToDouble(Double.doubleToRawLongBits(exact) & -BELOW_SINGLE);
    return Float.floatToRawIntBits((float) truncated) & 0xFFFFFFFFL;
  }

  /**
   * Rounded once, though by way of an FP32 number: its last bit is set where it is not exact, and so never makes a tie.
   */
  private static long nearestHalf(double exact) {
    long bits = Double.doubleToRawLongBits(exact);
    long inexact = (bits & BELOW_SINGLE - 1) == 0 ? 0 : BELOW_SINGLE;
    return unsignedZero(Float.floatToFloat16((float) Double.longBitsToDouble(bits & -BELOW_SINGLE | inexact)) & 0xFFFFL,
        ElementType.F16);
  }

  private long blockDot(long c, long[] x, long[] y, int begin, int end) {
    double special = special(c, x, y, begin, end);
    if (Double.isNaN(special)) return accumulator == ElementType.F32 ? CANONICAL_F32_NAN : CANONICAL_F16_NAN;
    if (Double.isInfinite(special)) return accumulator.fromDouble(special, Rounding.NEAREST_EVEN);

    var terms = new Parts[end - begin + 1];
    terms[0] = parts(accumulator, c);
    for (int i = begin; i < end; i++) {
      var left = parts(a, x[i]);
      var right = parts(b, y[i]);
      // The exponent of a product is the sum of its factors', whether or not the significands carry.
      terms[i - begin + 1] = new Parts(left.significand * right.significand, left.unit + right.unit,
          left.exponent + right.exponent);
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
    if (accumulator == ElementType.F16) {
      return unsignedZero(ElementType.F16.fromDouble(exact, Rounding.NEAREST_EVEN), ElementType.F16);
    }
    // Truncation overflows to infinity all the same.
    var rounding = Math.abs(exact) >= 0x1p128 ? Rounding.NEAREST_AWAY : Rounding.TOWARD_ZERO;
    return kept(ElementType.F32.fromDouble(exact, rounding));
  }

  /** A sum too small for its format is positive zero, whatever its sign. (As an H200 rounds.) */
  private static long unsignedZero(long bits, ElementType type) {
    return bits == 1L << type.bits() - 1 ? 0 : bits;
  }

  /** NaN or an infinity where the terms demand it, else zero. */
  private double special(long c, long[] x, long[] y, int begin, int end) {
    double special = accumulator.toDouble(c);
    special = Double.isInfinite(special) || Double.isNaN(special) ? special : 0;
    for (int i = begin; i < end; i++) {
      double product = a.toDouble(x[i]) * b.toDouble(y[i]);
      if (Double.isInfinite(product) || Double.isNaN(product)) special += product;
    }
    return special;
  }

  private static Parts parts(ElementType type, long bits) {
    double value = type.toDouble(bits);
    if (value == 0) return new Parts(0, 0, 0);
    int fractionBits = switch (type) {
      case F16, TF32 -> 10;
      case BF16 -> 7;
      case F32 -> 23;
      case E4M3 -> 3;
      case E5M2 -> 2;
      default -> throw new IllegalArgumentException("no tensor-core operand of type " + type.text());
    };
    int exponent = Math.max(Math.getExponent(value), type.minExponent());
    int unit = exponent - fractionBits;
    return new Parts((long) Math.scalb(value, -unit), unit, exponent);
  }
}
