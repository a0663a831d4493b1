package tilewright.simulator.core;

/**
 * The video instructions on one value (PTX ISA, Scalar Video Instructions), without saturation and merging: there the
 * code that ptxas makes for an H200 does not give what the ISA defines.
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

  private static final Operation[] OPERATIONS = Operation.values();
  private static final Part[] PARTS = Part.values();

  private Video() {}

  /** The value of a part of an operand, given by its ordinal. */
  public static long part(int word, int part, boolean signed) {
    return PARTS[part].of(word, signed);
  }

  /** The low word of an operation's result; the operation is given by its ordinal. */
  public static int apply(long a, long b, int operation) {
    return (int) switch (OPERATIONS[operation]) {
      case VADD -> a + b;
      case VSUB -> a - b;
      case VABSDIFF -> Math.abs(a - b);
      case VMIN -> Math.min(a, b);
      case VMAX -> Math.max(a, b);
      case VSHL -> a << Math.min(b & 0xFFFF_FFFFL, Integer.SIZE);
      case VSHR -> a >> Math.min(b & 0xFFFF_FFFFL, Integer.SIZE);
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
}
