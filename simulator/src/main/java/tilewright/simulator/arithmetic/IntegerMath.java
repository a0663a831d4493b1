package tilewright.simulator.arithmetic;

/** Integer instructions on one lane, where the JVM has no instruction of the same meaning. */
public final class IntegerMath {
  private static final int WORD = 32;
  private static final int LONG = 64;

  private IntegerMath() {}

  public static int shl(int a, int by) {
    return Integer.compareUnsigned(by, WORD) < 0 ? a << by : 0;
  }

  public static long shl(long a, int by) {
    return Integer.compareUnsigned(by, LONG) < 0 ? a << by : 0;
  }

  public static int shrU(int a, int by) {
    return Integer.compareUnsigned(by, WORD) < 0 ? a >>> by : 0;
  }

  public static long shrU(long a, int by) {
    return Integer.compareUnsigned(by, LONG) < 0 ? a >>> by : 0;
  }

  public static int shrS(int a, int by) {
    return a >> (Integer.compareUnsigned(by, WORD) < 0 ? by : WORD - 1);
  }

  public static long shrS(long a, int by) {
    return a >> (Integer.compareUnsigned(by, LONG) < 0 ? by : LONG - 1);
  }

  public static int mulHiS(int a, int b) {
    return (int) ((long) a * b >> WORD);
  }

  public static int mulHiU(int a, int b) {
    return (int) ((a & 0xFFFF_FFFFL) * (b & 0xFFFF_FFFFL) >>> WORD);
  }

  public static int mulHi16(int a, int b) {
    return a * b >> 16;
  }

  public static long mulWideU(int a, int b) {
    return (a & 0xFFFF_FFFFL) * (b & 0xFFFF_FFFFL);
  }

  public static long mulWideS(int a, int b) {
    return (long) a * b;
  }

  public static int mul24LoS(int a, int b) {
    return (a << 8 >> 8) * (b << 8 >> 8);
  }

  public static int mul24LoU(int a, int b) {
    return (a & 0xFF_FFFF) * (b & 0xFF_FFFF);
  }

  /** The upper 32 of the product's 48 bits. */
  public static int mul24HiS(int a, int b) {
    return (int) ((long) (a << 8 >> 8) * (b << 8 >> 8) >> 16);
  }

  public static int mul24HiU(int a, int b) {
    return (int) ((long) (a & 0xFF_FFFF) * (b & 0xFF_FFFF) >> 16);
  }

  public static int sadS(int a, int b, int c) {
    return c + (a < b ? b - a : a - b);
  }

  public static int sadU(int a, int b, int c) {
    return c + (Integer.compareUnsigned(a, b) < 0 ? b - a : a - b);
  }

  public static long sadS(long a, long b, long c) {
    return c + (a < b ? b - a : a - b);
  }

  public static long sadU(long a, long b, long c) {
    return c + (Long.compareUnsigned(a, b) < 0 ? b - a : a - b);
  }

  /** Division by zero gives all ones, as the hardware's sequence does. */
  public static int divS(int a, int b) {
    return b == 0 ? -1 : a / b;
  }

  public static int divU(int a, int b) {
    return b == 0 ? -1 : Integer.divideUnsigned(a, b);
  }

  public static long divS(long a, long b) {
    return b == 0 ? -1 : a / b;
  }

  public static long divU(long a, long b) {
    return b == 0 ? -1 : Long.divideUnsigned(a, b);
  }

  /** The remainder of a division by zero is all ones too. */
  public static int remS(int a, int b) {
    return b == 0 ? -1 : a % b;
  }

  public static int remU(int a, int b) {
    return b == 0 ? -1 : Integer.remainderUnsigned(a, b);
  }

  public static long remS(long a, long b) {
    return b == 0 ? -1 : a % b;
  }

  public static long remU(long a, long b) {
    return b == 0 ? -1 : Long.remainderUnsigned(a, b);
  }

  public static int minU(int a, int b) {
    return Integer.compareUnsigned(a, b) <= 0 ? a : b;
  }

  public static int maxU(int a, int b) {
    return Integer.compareUnsigned(a, b) >= 0 ? a : b;
  }

  public static long minU(long a, long b) {
    return Long.compareUnsigned(a, b) <= 0 ? a : b;
  }

  public static long maxU(long a, long b) {
    return Long.compareUnsigned(a, b) >= 0 ? a : b;
  }

  public static int addSat(int a, int b) {
    return Math.clamp((long) a + b, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  public static int subSat(int a, int b) {
    return Math.clamp((long) a - b, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  public static int bfindU(int a) {
    return WORD - 1 - Integer.numberOfLeadingZeros(a);
  }

  public static int bfindS(int a) {
    return bfindU(a < 0 ? ~a : a);
  }

  public static int bfindU(long a) {
    return LONG - 1 - Long.numberOfLeadingZeros(a);
  }

  public static int bfindS(long a) {
    return bfindU(a < 0 ? ~a : a);
  }

  /** {@code bfind.shiftamt}: how far to shift left to bring the found bit to the top; not found stays all ones. */
  public static int shiftAmount(int position, int top) {
    return position < 0 ? position : top - position;
  }

  /** Logical negation: one for zero, else zero. */
  public static int cnot(int a) {
    return a == 0 ? 1 : 0;
  }

  public static long cnot(long a) {
    return a == 0 ? 1 : 0;
  }

  /** Byte permute, generic form: each nibble of the selector picks a byte or replicates its sign. */
  public static int prmt(int a, int b, int selector) {
    long bytes = (long) b << WORD | a & 0xFFFF_FFFFL;
    int result = 0;
    for (int i = 0; i < 4; i++) {
      int s = selector >>> 4 * i;
      int value = (int) (bytes >>> 8 * (s & 7)) & 0xFF;
      if ((s & 8) != 0) value = (value & 0x80) != 0 ? 0xFF : 0;
      result |= value << 8 * i;
    }
    return result;
  }

  /** Byte permute, named modes: 0 f4e, 1 b4e, 2 rc8, 3 ecl, 4 ecr, 5 rc16. */
  public static int prmt(int a, int b, int selector, int mode) {
    int s = selector & 3;
    int control = switch (mode) {
      case 0 -> 0x3210 + 0x1111 * s;
      case 1 -> (s - 3 & 7) << 12 | (s - 2 & 7) << 8 | (s - 1 & 7) << 4 | s;
      case 2 -> 0x1111 * s;
      case 3 -> 0x3000 | Math.max(s, 2) << 8 | Math.max(s, 1) << 4 | s;
      case 4 -> s << 12 | Math.min(s, 2) << 8 | Math.min(s, 1) << 4;
      default -> (s & 1) == 0 ? 0x1010 : 0x3232;
    };
    return prmt(a, b, control);
  }

  /** Any function of three bits, by its truth table. */
  public static int lop3(int a, int b, int c, int table) {
    int r = 0;
    if ((table & 0x01) != 0) r |= ~a & ~b & ~c;
    if ((table & 0x02) != 0) r |= ~a & ~b & c;
    if ((table & 0x04) != 0) r |= ~a & b & ~c;
    if ((table & 0x08) != 0) r |= ~a & b & c;
    if ((table & 0x10) != 0) r |= a & ~b & ~c;
    if ((table & 0x20) != 0) r |= a & ~b & c;
    if ((table & 0x40) != 0) r |= a & b & ~c;
    if ((table & 0x80) != 0) r |= a & b & c;
    return r;
  }

  public static int shfL(int a, int b, int by, boolean clamp) {
    int n = clamp ? IntegerMath.minU(by, WORD) : by & WORD - 1;
    return (int) (((long) b << WORD | a & 0xFFFF_FFFFL) << n >>> WORD);
  }

  public static int shfR(int a, int b, int by, boolean clamp) {
    int n = clamp ? IntegerMath.minU(by, WORD) : by & WORD - 1;
    return (int) (((long) b << WORD | a & 0xFFFF_FFFFL) >>> n);
  }

  /** Dot product of four bytes, plus an accumulator. */
  public static int dp4a(int a, int b, int c, boolean signedA, boolean signedB) {
    int sum = c;
    for (int i = 0; i < WORD; i += 8) {
      int x = signedA ? (byte) (a >>> i) : a >>> i & 0xFF;
      int y = signedB ? (byte) (b >>> i) : b >>> i & 0xFF;
      sum += x * y;
    }
    return sum;
  }

  /** Dot product of two halves with the lower two bytes, plus an accumulator. */
  public static int dp2aLo(int a, int b, int c, boolean signedA, boolean signedB) {
    int sum = c;
    for (int i = 0; i < 2; i++) {
      int x = signedA ? (short) (a >>> 16 * i) : a >>> 16 * i & 0xFFFF;
      int y = signedB ? (byte) (b >>> 8 * i) : b >>> 8 * i & 0xFF;
      sum += x * y;
    }
    return sum;
  }

  /** Like {@code dp2a.lo}, with the upper two bytes. */
  public static int dp2aHi(int a, int b, int c, boolean signedA, boolean signedB) {
    return dp2aLo(a, b >>> 16, c, signedA, signedB);
  }
}
