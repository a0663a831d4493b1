package tilewright.simulator.arithmetic;

/**
 * The video instructions on one value (PTX ISA, Scalar Video Instructions). No target since sm_50 has them; this is the
 * code that ptxas 13.0 makes of them, recorded on an H200. Where a result saturates, merges or is compared, it differs
 * from what the ISA defines; each place says how.
 */
public final class Video {
  /** The operation; the comparisons give one or zero, shifts clamp their amount or take it modulo 32. */
  public enum Operation { VADD, VSUB, VABSDIFF, VMIN, VMAX, VSHL, VSHR, VSHL_WRAP, VSHR_WRAP, EQ, NE, LT, LE, GT, GE }

  /** The piece of a word that an operand names. */
  public enum Part {
    WORD(0, 32), B0(0, 8), B1(8, 8), B2(16, 8), B3(24, 8), H0(0, 16), H1(16, 16);

    private final int shift;
    private final int bits;

    Part(int shift, int bits) {
      this.shift = shift;
      this.bits = bits;
    }

    private long of(int word, boolean signed) {
      long top = (long) word << Long.SIZE - bits - shift;
      return signed ? top >> Long.SIZE - bits : top >>> Long.SIZE - bits;
    }
  }

  private static final long LOW = 0xFFFF_FFFFL;
  private static final int SHIFTED_OUT = 30;
  private static final Operation[] OPERATIONS = Operation.values();
  private static final Part[] PARTS = Part.values();

  private Video() {}

  private static boolean shifts(Operation operation) {
    return switch (operation) {
      case VSHL, VSHR, VSHL_WRAP, VSHR_WRAP -> true;
      default -> false;
    };
  }

  /** The value of a part of an operand, given by its ordinal. */
  public static long part(int word, int part, boolean signed) {
    return PARTS[part].of(word, signed);
  }

  /** An operation's result before anything is done to it; the operation is given by its ordinal. */
  public static long apply(long a, long b, int operation) {
    return switch (OPERATIONS[operation]) {
      case VADD -> a + b;
      case VSUB -> a - b;
      case VABSDIFF -> Math.abs(a - b);
      case VMIN -> Math.min(a, b);
      case VMAX -> Math.max(a, b);
      case VSHL -> a << Math.min(b & LOW, Integer.SIZE);
      case VSHR -> a >> Math.min(b & LOW, Integer.SIZE);
      case VSHL_WRAP -> a << (b & Integer.SIZE - 1);
      case VSHR_WRAP -> a >> (b & Integer.SIZE - 1);
      case EQ -> a == b ? 1L : 0;
      case NE -> a != b ? 1L : 0;
      case LT -> a < b ? 1L : 0;
      case LE -> a <= b ? 1L : 0;
      case GT -> a > b ? 1L : 0;
      case GE -> a >= b ? 1L : 0;
    };
  }

  /**
   * {@code vmad}. Its factors and {@code c} count as signed words whatever their types, so that only the low word of the
   * sum is the ISA's.
   *
   * @param lessProduct whether a factor is negated
   * @param lessThird whether {@code c} is negated
   * @param signed whether the result is a signed number
   */
  public static int multiplyAdd(long a, long b, int c, boolean lessProduct, boolean lessThird, int plus, int shift,
      boolean saturate, boolean signed) {
    long product = (long) (int) a * (int) b;
    long sum = (lessProduct ? -product : product) + (lessThird ? -(long) c : c) + plus;
    long scaled = signed ? sum >> shift : sum >>> shift;
    return saturate ? clamp(scaled, signed) : (int) scaled;
  }

  private static int clamp(long value, boolean signed) {
    return signed ? Math.clamp(value, Integer.MIN_VALUE, Integer.MAX_VALUE) : (int) Math.clamp(value, 0L, LOW);
  }

  /**
   * Saturates a result to a word. Only shifts are clamped to the largest unsigned number; of a shift to the left, no
   * more than 34 bits count.
   */
  private static int saturate(long value, int operation, boolean signed) {
    return switch (OPERATIONS[operation]) {
      case VSHL, VSHL_WRAP -> clamp(value << SHIFTED_OUT >> SHIFTED_OUT, signed);
      case VSHR, VSHR_WRAP -> clamp(value, signed);
      default -> signed ? clamp(value, true) : (int) Math.max(value, 0);
    };
  }

  /** A result and the third operand, which is zero without the second operation {@code .add}. */
  public static int sum(long value, int c, int operation, boolean saturate, boolean signed) {
    return (saturate ? saturate(value, operation, signed) : (int) value) + c;
  }

  /**
   * The second operations {@code .min} and {@code .max}. A result of one word is extended by its sign even where it is
   * compared as unsigned; others are compared with all their bits.
   */
  public static int extremum(long value, int c, int operation, boolean saturate, boolean signed, boolean largest) {
    var kind = OPERATIONS[operation];
    int word = saturate ? saturate(value, operation, signed) : (int) value;
    boolean narrow = kind == Operation.VADD || kind == Operation.VSUB || saturate && (shifts(kind) || signed);
    long left = narrow ? word : saturate ? Math.max(value, 0) : value;
    boolean less = signed ? left < c : Long.compareUnsigned(left, c & LOW) < 0;
    boolean equal = left == (signed ? c : c & LOW);
    return equal || less != largest ? word : c;
  }

  /**
   * Puts a result into a part of {@code c}. Negative results saturate to the largest number; shifts saturate to a word
   * first. The upper half of the result goes into the upper half of {@code c}, not the lower.
   */
  public static int merge(long value, int c, int operation, boolean saturate, boolean signed, int part) {
    var to = PARTS[part];
    long largest = (1L << (signed ? to.bits - 1 : to.bits)) - 1;
    int word = !saturate ? (int) value : shifts(OPERATIONS[operation]) ? saturate(value, operation, signed)
        : (int) (Long.compareUnsigned(value, largest) > 0 ? largest : value);
    int mask = (1 << to.bits) - 1 << to.shift;
    return c & ~mask | (to == Part.H1 ? word : word << to.shift) & mask;
  }
}
