package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Integer instructions against exact integers. */
class IntegerInstructionsTest {
  private static final int N = 3000;
  private static final int[] EDGES =
      {0, 1, -1, 2, 31, 32, 33, 255, 256, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x8000, 0xFFFF};

  private static int[] values(long seed) {
    var random = new Random(seed);
    return random.ints(N).map(v -> switch (random.nextInt(3)) {
      case 0 -> EDGES[random.nextInt(EDGES.length)];
      case 1 -> v >> random.nextInt(32);
      default -> v;
    }).toArray();
  }

  private static long[] longs(long seed) {
    var random = new Random(seed);
    return random.longs(N).map(v -> switch (random.nextInt(3)) {
      case 0 -> EDGES[random.nextInt(EDGES.length)];
      case 1 -> v >> random.nextInt(64);
      default -> v;
    }).toArray();
  }

  private static BigInteger number(long bits, int width, boolean signed) {
    var mask = BigInteger.ONE.shiftLeft(width).subtract(BigInteger.ONE);
    var unsigned = BigInteger.valueOf(bits).and(mask);
    return signed && unsigned.testBit(width - 1) ? unsigned.subtract(mask).subtract(BigInteger.ONE) : unsigned;
  }

  /** The defining equation of an instruction on exact integers. */
  private static BigInteger define(String operation, int width, boolean signed, BigInteger a, BigInteger b,
      BigInteger c) {
    return switch (operation) {
      case "add" -> a.add(b);
      case "sub" -> a.subtract(b);
      case "mul.lo" -> a.multiply(b);
      case "mul.hi" -> a.multiply(b).shiftRight(width);
      case "mad.lo" -> a.multiply(b).add(c);
      case "mad.hi" -> a.multiply(b).shiftRight(width).add(c);
      case "min" -> a.min(b);
      case "max" -> a.max(b);
      case "div" -> b.signum() == 0 ? BigInteger.ONE.negate() : a.divide(b);
      case "rem" -> b.signum() == 0 ? BigInteger.ONE.negate() : a.remainder(b);
      case "abs" -> a.abs();
      case "neg" -> a.negate();
      case "and" -> a.and(b);
      case "or" -> a.or(b);
      case "xor" -> a.xor(b);
      case "not" -> a.not();
      case "popc" -> BigInteger.valueOf(number(a.longValue(), width, false).bitCount());
      case "clz" -> BigInteger.valueOf(width - number(a.longValue(), width, false).bitLength());
      case "shl" -> a.shiftLeft(shift(b, width));
      case "shr" -> a.shiftRight(shift(b, width));
      default -> throw new IllegalArgumentException(operation);
    };
  }

  private static int shift(BigInteger by, int width) {
    return number(by.longValue(), 32, false).min(BigInteger.valueOf(width)).intValue();
  }

  @ParameterizedTest
  @CsvSource({"add,s32,2", "add,u32,2", "sub,s32,2", "mul.lo,s32,2", "mul.hi,s32,2", "mul.hi,u32,2", "mad.lo,s32,3",
      "mad.hi,u32,3",
      "mad.hi,s32,3", "min,s32,2", "min,u32,2", "max,s32,2", "max,u32,2", "div,s32,2", "div,u32,2", "rem,s32,2",
      "rem,u32,2",
      "abs,s32,1", "neg,s32,1", "and,b32,2", "or,b32,2", "xor,b32,2", "not,b32,1", "shl,b32,2", "shr,s32,2",
      "shr,u32,2", "popc,b32,1", "clz,b32,1"})
  void wordInstructionsComputeWhatTheyAreDefinedAs(String operation, String type, int operands) {
    boolean signed = type.startsWith("s");
    int[] a = values(1);
    int[] b = values(2);
    int[] c = values(3);
    int[] got = Instructions.on32(operation + "." + type, a, b, c, operands);
    for (int i = 0; i < N; i++) {
      var want = define(operation, 32, signed, number(a[i], 32, signed), number(b[i], 32, signed),
          number(c[i], 32, signed));
      assertEquals(want.intValue(), got[i], operation + " " + a[i] + " " + b[i] + " " + c[i]);
    }
  }

  @ParameterizedTest
  @CsvSource({"add,s64,2", "sub,u64,2", "mul.lo,s64,2", "mul.hi,s64,2", "mul.hi,u64,2", "mad.lo,u64,3", "min,s64,2",
      "max,u64,2",
      "div,s64,2", "div,u64,2", "rem,s64,2", "rem,u64,2", "abs,s64,1", "neg,s64,1", "and,b64,2", "or,b64,2",
      "xor,b64,2", "not,b64,1"})
  void doubleWordInstructionsComputeWhatTheyAreDefinedAs(String operation, String type, int operands) {
    boolean signed = type.startsWith("s");
    long[] a = longs(1);
    long[] b = longs(2);
    long[] c = longs(3);
    long[] got = Instructions.on64(operation + "." + type, a, b, c, operands);
    for (int i = 0; i < N; i++) {
      var want = define(operation, 64, signed, number(a[i], 64, signed), number(b[i], 64, signed),
          number(c[i], 64, signed));
      assertEquals(want.longValue(), got[i], operation + " " + a[i] + " " + b[i] + " " + c[i]);
    }
  }

  @ParameterizedTest
  @CsvSource({"add,s16,true", "sub,u16,false", "mul.lo,s16,true", "mul.hi,s16,true", "mul.hi,u16,false",
      "min,s16,true", "max,u16,false",
      "div,s16,true", "div,u16,false", "rem,s16,true", "shr,s16,true", "shr,u16,false", "shl,b16,false"})
  void halfWordInstructionsUseSixteenBits(String operation, String type, boolean signed) {
    int[] a = values(4);
    int[] b = values(5);
    var right = operation.startsWith("sh") ? "%r1" : "%h1";
    int[] got = Instructions.body32("cvt.u16.u32 %h0, %r0;\ncvt.u16.u32 %h1, %r1;\n" + operation + "." + type
        + " %h2, %h0, "
        + right + ";\ncvt.u32.u16 %r3, %h2;\n", a, b);
    for (int i = 0; i < N; i++) {
      var y = operation.startsWith("sh") ? BigInteger.valueOf(b[i]) : number(b[i], 16, signed);
      var want = define(operation, 16, signed, number(a[i], 16, signed), y, BigInteger.ZERO);
      assertEquals(want.intValue() & 0xFFFF, got[i], operation + " " + (short) a[i] + " " + (short) b[i]);
    }
  }

  @Test
  void wideMultiplicationKeepsAllBits() {
    int[] a = values(6);
    int[] b = values(7);
    for (boolean signed : new boolean[] {true, false}) {
      var type = signed ? "s32" : "u32";
      int[] high = Instructions.body32("mul.wide." + type + " %l0, %r0, %r1;\nmov.b64 {%r2, %r3}, %l0;\n", a, b);
      for (int i = 0; i < N; i++) {
        var want = number(a[i], 32, signed).multiply(number(b[i], 32, signed)).shiftRight(32).intValue();
        assertEquals(want, high[i], type + " " + a[i] + " " + b[i]);
      }
    }
  }

  /**
   * Bit i of the extracted field is bit position+i of the word, or its highest bit when that is outside (PTX ISA,
   * bfe).
   */
  private static int extract(int a, int position, int length, boolean signed) {
    int pos = position & 0xFF;
    int len = length & 0xFF;
    boolean sign = signed && len > 0 && (a >>> Math.min(pos + len - 1, 31) & 1) != 0;
    int d = 0;
    for (int i = 0; i < 32; i++) {
      boolean bit = i < len && pos + i < 32 ? (a >>> pos + i & 1) != 0 : sign;
      if (bit) d |= 1 << i;
    }
    return d;
  }

  @Test
  void bitFieldsAreExtractedAndInsertedAsThePtxIsaSays() {
    int[] a = values(8);
    int[] b = values(9);
    int[] c = values(10);
    int[] unsigned = Instructions.on32("bfe.u32", a, b, c, 3);
    int[] signed = Instructions.on32("bfe.s32", a, b, c, 3);
    int[] inserted = Instructions.body32("bfi.b32 %r3, %r0, %r1, 5, 9;\n", a, b);
    for (int i = 0; i < N; i++) {
      assertEquals(extract(a[i], b[i], c[i], false), unsigned[i], a[i] + " at " + b[i] + " length " + c[i]);
      assertEquals(extract(a[i], b[i], c[i], true), signed[i], a[i] + " at " + b[i] + " length " + c[i]);
      int mask = 0x1FF << 5;
      assertEquals(b[i] & ~mask | (a[i] << 5) & mask, inserted[i]);
    }
  }

  @Test
  void permuteChoosesBytesAndReplicatesSigns() {
    int[] a = values(11);
    int[] b = values(12);
    int[] c = values(13);
    int[] got = Instructions.on32("prmt.b32", a, b, c, 3);
    for (int i = 0; i < N; i++) {
      byte[] bytes = new byte[8];
      for (int k = 0; k < 4; k++) {
        bytes[k] = (byte) (a[i] >> 8 * k);
        bytes[4 + k] = (byte) (b[i] >> 8 * k);
      }
      int want = 0;
      for (int k = 0; k < 4; k++) {
        int nibble = c[i] >> 4 * k & 15;
        int value = nibble < 8 ? bytes[nibble] & 0xFF : bytes[nibble - 8] < 0 ? 0xFF : 0;
        want |= value << 8 * k;
      }
      assertEquals(want, got[i], Integer.toHexString(c[i]));
    }
  }

  @ParameterizedTest
  @CsvSource({"0xC0", "0x3C", "0xFE", "0x96", "0xE8", "0x1A"})
  void threeInputLogicFollowsItsTable(String table) {
    int[] a = values(14);
    int[] b = values(15);
    int lut = Integer.decode(table);
    int[] got = Instructions.body32("not.b32 %r2, %r0;\nlop3.b32 %r3, %r0, %r1, %r2, " + table + ";\n", a, b);
    for (int i = 0; i < N; i++) {
      int want = 0;
      for (int k = 0; k < 32; k++) {
        int index = (a[i] >> k & 1) << 2 | (b[i] >> k & 1) << 1 | (~a[i] >> k & 1);
        want |= (lut >> index & 1) << k;
      }
      assertEquals(want, got[i]);
    }
  }

  @Test
  void funnelShiftsTakeTheirBitsFromBothWords() {
    int[] a = values(16);
    int[] b = values(17);
    int[] c = values(18);
    int[] left = Instructions.on32("shf.l.wrap.b32", a, b, c, 3);
    int[] right = Instructions.on32("shf.r.clamp.b32", a, b, c, 3);
    for (int i = 0; i < N; i++) {
      var both = number(b[i], 32, false).shiftLeft(32).or(number(a[i], 32, false));
      assertEquals(both.shiftLeft(c[i] & 31).shiftRight(32).intValue(), left[i]);
      assertEquals(both.shiftRight(shift(BigInteger.valueOf(c[i]), 32)).intValue(), right[i]);
    }
  }

  @Test
  void findingTheHighestBitIgnoresTheSign() {
    int[] a = values(19);
    int[] unsigned = Instructions.on32("bfind.u32", a, a, a, 1);
    int[] signed = Instructions.on32("bfind.s32", a, a, a, 1);
    for (int i = 0; i < N; i++) {
      assertEquals(number(a[i], 32, false).bitLength() - 1, unsigned[i]);
      assertEquals(BigInteger.valueOf(a[i]).bitLength() - 1, signed[i]);
    }
  }

  @Test
  void reversedBitsAndByteDotProducts() {
    int[] a = values(20);
    int[] b = values(21);
    int[] reversed = Instructions.on32("brev.b32", a, a, a, 1);
    int[] dot = Instructions.body32("dp4a.s32.u32 %r3, %r0, %r1, 7;\n", a, b);
    for (int i = 0; i < N; i++) {
      int want = 7;
      for (int k = 0; k < 4; k++) want += (byte) (a[i] >> 8 * k) * (b[i] >> 8 * k & 0xFF);
      assertEquals(want, dot[i]);
      for (int k = 0; k < 32; k++) assertEquals(a[i] >> k & 1, reversed[i] >> 31 - k & 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"eq,s32", "ne,u32", "lt,s32", "lt,u32", "le,s32", "le,u32", "gt,s32", "gt,u32", "ge,s32", "ge,u32",
      "lo,u32", "hs,u32"})
  void comparisonsKnowTheSign(String operator, String type) {
    boolean signed = type.startsWith("s");
    int[] a = values(22);
    int[] b = values(23);
    for (int i = 0; i < N; i += 3) b[i] = a[i];
    int[] got = Instructions.body32("setp." + operator + "." + type + " %q0, %r0, %r1;\nselp.b32 %r3, 1, 0, %q0;\n", a,
        b);
    for (int i = 0; i < N; i++) {
      int order = number(a[i], 32, signed).compareTo(number(b[i], 32, signed));
      boolean want = switch (operator) {
        case "eq" -> order == 0;
        case "ne" -> order != 0;
        case "lt", "lo" -> order < 0;
        case "le" -> order <= 0;
        case "gt" -> order > 0;
        default -> order >= 0;
      };
      assertEquals(want ? 1 : 0, got[i], a[i] + " " + operator + " " + b[i]);
    }
  }

  @Test
  void combinedComparisonsGiveThePredicateAndItsComplementCombined() {
    int[] a = values(24);
    int[] b = values(25);
    int[] got = Instructions.body32("""
        setp.gt.s32 %q2, %r0, 0;
        setp.lt.and.s32 %q0|%q1, %r0, %r1, !%q2;
        selp.b32 %r3, 1, 0, %q0;
        selp.b32 %r4, 2, 0, %q1;
        or.b32 %r3, %r3, %r4;
        """, a, b);
    for (int i = 0; i < N; i++) {
      boolean other = a[i] <= 0;
      int want = (a[i] < b[i] && other ? 1 : 0) | (a[i] >= b[i] && other ? 2 : 0);
      assertEquals(want, got[i]);
    }
  }

  @Test
  void aComparisonMayJoinThePredicateThatItOverwrites() {
    int[] got = Instructions.body32("""
        setp.ne.s32 %q1, %r1, 0;
        setp.lt.and.s32 %q0|%q1, %r0, 5, %q1;
        selp.b32 %r3, 1, 0, %q0;
        @%q1 add.s32 %r3, %r3, 2;
        """, new int[] {1, 1, 9, 9}, new int[] {0, 1, 0, 1});
    assertArrayEquals(new int[] {0, 1, 0, 2}, got);
  }
}
