package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bit-field and packed integer instructions against the PTX ISA's definitions, bit by bit. */
class BitFieldInstructionsTest {
  private static final int N = 3000;

  private static int[] words(int seed) {
    return new Random(seed).ints(N).toArray();
  }

  /** Amounts around those where the rules change. */
  private static int[] amounts(int seed) {
    var random = new Random(seed);
    return IntStream.range(0, N).map(_ -> random.nextInt(6) == 0 ? random.nextInt() : random.nextInt(70)).toArray();
  }

  private static boolean bit(int word, int position) {
    return (word >>> position & 1) != 0;
  }

  private static long unsigned(int v) {
    return Integer.toUnsignedLong(v);
  }

  @ParameterizedTest
  @CsvSource({"clamp,u32", "clamp,s32", "wrap,u32", "wrap,s32"})
  void szextExtendsTheLowBits(String mode, String type) {
    int[] a = words(1);
    int[] bits = amounts(2);
    int[] got = Instructions.on32("szext." + mode + "." + type, a, bits, a, 2);
    for (int i = 0; i < N; i++) {
      long width = mode.equals("clamp") ? Math.min(32, unsigned(bits[i])) : bits[i] & 31;
      var field = BigInteger.valueOf(unsigned(a[i])).mod(BigInteger.ONE.shiftLeft((int) width));
      boolean negative = type.equals("s32") && width > 0 && field.testBit((int) width - 1);
      assertEquals((negative ? field.subtract(BigInteger.ONE.shiftLeft((int) width)) : field).intValue(), got[i]);
    }
  }

  @ParameterizedTest
  @CsvSource({"clamp", "wrap"})
  void bmskSetsTheBitsOfItsRange(String mode) {
    int[] from = amounts(3);
    int[] bits = amounts(4);
    int[] got = Instructions.on32("bmsk." + mode + ".b32", from, bits, bits, 2);
    for (int i = 0; i < N; i++) {
      boolean clamp = mode.equals("clamp");
      long first = clamp ? unsigned(from[i]) : from[i] & 31;
      long count = clamp ? unsigned(bits[i]) : bits[i] & 31;
      int want = 0;
      for (int p = 0; p < 32; p++) if (p >= first && p < first + count) want |= 1 << p;
      assertEquals(want, got[i], first + " " + count);
    }
  }

  @Test
  void fnsFindsTheNthSetBitInEitherDirection() {
    int[] mask = words(5);
    var random = new Random(6);
    int[] base = random.ints(N, 0, 32).toArray();
    int[] n = random.ints(N, -8, 9).toArray();
    int[] got = Instructions.on32("fns.b32", mask, base, n, 3);
    for (int i = 0; i < N; i++) {
      int word = mask[i];
      int at = base[i];
      int[] found = n[i] == 0 ? IntStream.of(at).filter(p -> bit(word, p)).toArray()
          : n[i] > 0 ? IntStream.range(at, 32).filter(p -> bit(word, p)).toArray()
          : IntStream.rangeClosed(0, at).map(p -> at - p).filter(p -> bit(word, p)).toArray();
      int index = n[i] == 0 ? 0 : Math.abs(n[i]) - 1;
      assertEquals(index < found.length ? found[index] : -1, got[i]);
    }
  }

  @ParameterizedTest
  @CsvSource({"lo,u,u", "lo,s,u", "hi,u,s", "hi,s,s"})
  void dp2aAddsTwoProducts(String part, String left, String right) {
    int[] a = words(7);
    int[] b = words(8);
    int[] c = words(9);
    int[] got = Instructions.on32("dp2a." + part + "." + left + "32." + right + "32", a, b, c, 3);
    for (int i = 0; i < N; i++) {
      int sum = c[i];
      for (int k = 0; k < 2; k++) {
        int x = field(a[i], 16, k, left.equals("s"));
        int y = field(b[i], 8, part.equals("hi") ? 2 + k : k, right.equals("s"));
        sum += x * y;
      }
      assertEquals(sum, got[i]);
    }
  }

  private static int field(int word, int width, int index, boolean signed) {
    int bits = BigInteger.valueOf(unsigned(word)).shiftRight(width * index).intValue() & (1 << width) - 1;
    return signed && bit(bits, width - 1) ? bits - (1 << width) : bits;
  }

  @ParameterizedTest
  @CsvSource({"u32", "s32"})
  void sadAddsTheDistance(String type) {
    int[] a = words(10);
    int[] b = words(11);
    int[] c = words(12);
    int[] got = Instructions.on32("sad." + type, a, b, c, 3);
    for (int i = 0; i < N; i++) {
      long distance = type.equals("s32") ? Math.abs((long) a[i] - b[i]) : Math.abs(unsigned(a[i]) - unsigned(b[i]));
      assertEquals((int) (c[i] + distance), got[i]);
    }
  }

  @ParameterizedTest
  @CsvSource({"mul24.hi.s32,2", "mul24.hi.u32,2", "mad24.hi.u32,3", "mad24.hi.sat.s32,3", "mad.hi.sat.s32,3"})
  void upperProducts(String name, int operands) {
    int[] a = words(13);
    int[] b = words(14);
    int[] c = words(15);
    int[] got = Instructions.on32(name, a, b, c, operands);
    boolean signed = name.endsWith("s32");
    for (int i = 0; i < N; i++) {
      boolean full = name.startsWith("mad.");
      var x = full ? BigInteger.valueOf(a[i]) : part24(a[i], signed);
      var y = full ? BigInteger.valueOf(b[i]) : part24(b[i], signed);
      var result = x.multiply(y).shiftRight(full ? 32 : 16);
      if (operands == 3) result = result.add(BigInteger.valueOf(signed ? c[i] : unsigned(c[i])));
      if (name.contains("sat")) {
        result = result.min(BigInteger.valueOf(Integer.MAX_VALUE)).max(BigInteger.valueOf(Integer.MIN_VALUE));
      }
      assertEquals(result.intValue(), got[i]);
    }
  }

  private static BigInteger part24(int word, boolean signed) {
    long low = word & 0xFF_FFFFL;
    return BigInteger.valueOf(signed && low >= 0x80_0000 ? low - 0x100_0000 : low);
  }

  @ParameterizedTest
  @CsvSource({"and", "or", "xor"})
  void lop3CombinesItsPredicate(String operation) {
    int[] a = new Random(16).ints(N, 0, 4).toArray();
    int[] b = new Random(17).ints(N, 0, 4).toArray();
    int[] got = Instructions.body32("""
        setp.ne.u32 %%q1, %%r1, 2;
        lop3.%s.b32 %%r2|%%q2, %%r0, %%r1, 3, 0x80, %%q1;
        selp.u32 %%r3, 100, 0, %%q2;
        add.u32 %%r3, %%r3, %%r2;
        """.formatted(operation), a, b);
    for (int i = 0; i < N; i++) {
      int value = a[i] & b[i] & 3;
      boolean other = b[i] != 2;
      boolean set = switch (operation) {
        case "and" -> value != 0 && other;
        case "or" -> value != 0 || other;
        default -> value != 0 ^ other;
      };
      assertEquals((set ? 100 : 0) + value, got[i]);
    }
  }
}
