package tilewright.simulator.arithmetic;

/** The video instructions that work on two halves or four bytes of a word (PTX ISA, SIMD Video Instructions). */
public final class Simd {
  /** Bits of {@code flags}: which operands are signed, and what happens to the results. */
  public static final int SIGNED_A = 1;
  public static final int SIGNED_B = 2;
  public static final int SIGNED_RESULT = 4;
  public static final int SATURATE = 8;
  public static final int ACCUMULATE = 16;

  /** The operation on each pair of fields; the comparisons give one or zero. */
  public enum Operation { VADD, VSUB, VAVRG, VABSDIFF, VMIN, VMAX, EQ, NE, LT, LE, GT, GE }

  private static final Operation[] ALL = Operation.values();

  private Simd() {}

  /** Works on fields of so many bits; accumulated results are added up, others replace the fields. */
  public static int apply(int a, int b, int c, int operation, int bits, int flags) {
    int result = (flags & ACCUMULATE) != 0 ? c : 0;
    for (int shift = 0; shift < Integer.SIZE; shift += bits) {
      int field = field(ALL[operation], extract(a, shift, bits, (flags & SIGNED_A) != 0),
          extract(b, shift, bits, (flags & SIGNED_B) != 0));
      if ((flags & SATURATE) != 0) field = saturate(field, bits, (flags & SIGNED_RESULT) != 0);
      result += (flags & ACCUMULATE) != 0 ? field : (field & (1 << bits) - 1) << shift;
    }
    return result;
  }

  private static int extract(int word, int shift, int bits, boolean signed) {
    int top = word << Integer.SIZE - bits - shift;
    return signed ? top >> Integer.SIZE - bits : top >>> Integer.SIZE - bits;
  }

  private static int field(Operation operation, int a, int b) {
    return switch (operation) {
      case VADD -> a + b;
      case VSUB -> a - b;
      // Halves are rounded away from zero when positive, down when negative.
      case VAVRG -> a + b >= 0 ? a + b + 1 >> 1 : a + b >> 1;
      case VABSDIFF -> Math.abs(a - b);
      case VMIN -> Math.min(a, b);
      case VMAX -> Math.max(a, b);
      case EQ -> a == b ? 1 : 0;
      case NE -> a != b ? 1 : 0;
      case LT -> a < b ? 1 : 0;
      case LE -> a <= b ? 1 : 0;
      case GT -> a > b ? 1 : 0;
      case GE -> a >= b ? 1 : 0;
    };
  }

  private static int saturate(int value, int bits, boolean signed) {
    return signed ? Math.clamp(value, -(1 << bits - 1), (1 << bits - 1) - 1) : Math.clamp(value, 0, (1 << bits) - 1);
  }
}
