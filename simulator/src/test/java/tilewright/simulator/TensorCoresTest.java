package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code mma.sync} against the published arithmetic (truncated fused dot product and add) on exact integers, with its
 * own maps from lanes to matrix elements, taken from the fragment figures of the PTX ISA.
 */
class TensorCoresTest {
  private static final int ROWS = 16;
  private static final int COLUMNS = 8;

  /** A term as an exact multiple of 2^-400, and the exponent it is aligned by. */
  private record Term(BigInteger units, int exponent) {
    static final int SCALE = 400;

    static Term of(long significand, int unitExponent, int exponent, int zero) {
      return new Term(BigInteger.valueOf(significand).shiftLeft(unitExponent + SCALE), significand == 0 ? zero
          : exponent);
    }
  }

  private record Format(int fraction, int bias) {
    static final Format F16 = new Format(10, 15);
    static final Format BF16 = new Format(7, 127);

    long significand(int bits) {
      int field = field(bits);
      long s = bits & (1 << fraction) - 1 | (field == 0 ? 0 : 1L << fraction);
      return (bits & 0x8000) != 0 ? -s : s;
    }

    int field(int bits) {
      return bits >>> fraction & (1 << 15 - fraction) - 1;
    }

    int exponent(int bits) {
      return Math.max(1, field(bits)) - bias;
    }

    boolean special(int bits) {
      return field(bits) == (1 << 15 - fraction) - 1;
    }
  }

  private static Term product(int a, int b, Format f, int zero) {
    int exponent = f.exponent(a) + f.exponent(b);
    return Term.of(f.significand(a) * f.significand(b), exponent - 2 * f.fraction(), exponent, zero);
  }

  private static Term accumulatorF32(int bits, int zero) {
    int field = bits >>> 23 & 0xFF;
    long s = bits & 0x7F_FFFF | (field == 0 ? 0 : 1 << 23);
    int exponent = Math.max(1, field) - 127;
    return Term.of(bits < 0 ? -s : s, exponent - 23, exponent, zero);
  }

  /** Sum of the terms cut off below the largest exponent's last kept bit, in units of 2^-400. */
  private static BigInteger sum(List<Term> terms, int fractionKept) {
    int largest = terms.stream().mapToInt(Term::exponent).max().orElseThrow();
    int drop = largest - fractionKept + Term.SCALE;
    var sum = BigInteger.ZERO;
    for (var t : terms) {
      var cut = drop <= 0 ? t.units().abs() : t.units().abs().shiftRight(drop).shiftLeft(drop);
      sum = t.units().signum() < 0 ? sum.subtract(cut) : sum.add(cut);
    }
    return sum;
  }

  private static int truncatedF32(BigInteger sum) {
    var magnitude = sum.abs();
    if (magnitude.signum() == 0) return 0;
    int top = magnitude.bitLength() - 1 - Term.SCALE;
    int exponent = Math.max(top, -126);
    if (exponent > 127) return (sum.signum() < 0 ? 0x8000_0000 : 0) | 0x7F80_0000;
    int significand = magnitude.shiftRight(exponent - 23 + Term.SCALE).intValueExact();
    int bits = (exponent + 126 << 23) + significand;
    return sum.signum() < 0 ? bits | 0x8000_0000 : bits;
  }

  private static int nearestF16(BigInteger sum) {
    var magnitude = sum.abs();
    if (magnitude.signum() == 0) return 0;
    int exponent = Math.max(magnitude.bitLength() - 1 - Term.SCALE, -14);
    int drop = exponent - 10 + Term.SCALE;
    var kept = magnitude.shiftRight(drop);
    int order = magnitude.subtract(kept.shiftLeft(drop)).compareTo(BigInteger.ONE.shiftLeft(drop - 1));
    if (order > 0 || order == 0 && kept.testBit(0)) kept = kept.add(BigInteger.ONE);
    int bits = Math.min((exponent + 14 << 10) + (exponent > 15 ? 1 << 11 : kept.intValueExact()), 0x7C00);
    return sum.signum() < 0 ? bits | 0x8000 : bits;
  }

  static int element(int[] fragments, int registers, int row, int k, int rows) {
    // A: registers go through the row halves first, then the depth halves. B: rows are columns, and there is one half.
    int register = rows == ROWS ? row / 8 + 2 * (k / 8) : k / 8;
    int lane = row % 8 * 4 + k % 8 / 2;
    return fragments[lane * registers + register] >>> 16 * (k % 2) & 0xFFFF;
  }

  static int[] execute(String instruction, int aCount, int bCount, int cCount, int[] a, int[] b, int[] c,
      SimulatorOptions options) {
    var body = new StringBuilder();
    int[] counts = {aCount, bCount, cCount};
    int register = 0;
    var names = new StringBuilder[] {new StringBuilder(), new StringBuilder(), new StringBuilder()};
    for (int p = 0; p < 3; p++) {
      body.append("mul.lo.u32 %r60, %t, ").append(4 * counts[p])
          .append(";\ncvt.u64.u32 %l0, %r60;\nadd.s64 %l0, %l0, %p")
          .append(p).append(";\n");
      for (int k = 0; k < counts[p]; k++) {
        body.append("ld.global.u32 %r").append(register).append(", [%l0+").append(4 * k).append("];\n");
        names[p].append(k == 0 ? "" : ",").append("%r").append(register++);
      }
    }
    body.append(instruction).append(" {").append(names[2]).append("},{").append(names[0]).append("},{")
        .append(names[1]).append("},{")
        .append(names[2]).append("};\nadd.s64 %l1, %p3, %l0;\nsub.s64 %l1, %l1, %p2;\n");
    for (int k = 0; k < cCount; k++) {
      body.append("st.global.u32 [%l1+").append(4 * k).append("], %r").append(aCount + bCount + k).append(";\n");
    }
    int[] d = new int[32 * cCount];
    assertEquals(List.of(), Kernels.run(Kernels.kernel(4, body.toString()), 32, options, a, b, c, d).findings());
    return d;
  }

  private static int[] pairs(Random random, int n, Format f, int spread) {
    int[] out = new int[n];
    for (int i = 0; i < 2 * n; i++) {
      int bits = random.nextInt(0x10000);
      if (spread > 0) {
        bits = bits & ~(0x7FFF >> f.fraction() << f.fraction()) & 0xFFFF
            | f.bias() - random.nextInt(spread) << f.fraction();
      }
      if (f.special(bits)) bits = 0x3C00;
      if (random.nextInt(10) == 0) bits &= 0x8000;
      out[i / 2] |= bits << 16 * (i % 2);
    }
    return out;
  }

  private static int[] accumulators(Random random, int n) {
    return random.ints(n).map(v -> switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> v;
      default -> Float.floatToRawIntBits((float) random.nextGaussian());
    }).map(v -> (v >>> 23 & 0xFF) == 0xFF ? 0 : v).toArray();
  }

  @ParameterizedTest
  @CsvSource({"f16,16,80", "bf16,16,80", "f16,8,80", "bf16,8,80", "f16,16,90", "bf16,16,90", "f16,8,90", "bf16,16,100",
      "bf16,16,89"})
  void singlePrecisionSumsFollowTheModelOfTheArchitecture(String type, int depth, int architecture) {
    var format = type.equals("f16") ? Format.F16 : Format.BF16;
    boolean hopper = architecture >= 90;
    int block = hopper ? 16 : 8;
    int fraction = hopper ? 25 : 24;
    int zero = hopper ? -133 : -132;
    var random = new Random(architecture + depth);
    for (int round = 0; round < 30; round++) {
      int[] a = pairs(random, 32 * depth / 4, format, round % 3 * 4);
      int[] b = pairs(random, 32 * depth / 8, format, round % 3 * 4);
      int[] c = accumulators(random, 128);
      int[] d = execute("mma.sync.aligned.m16n8k" + depth + ".row.col.f32." + type + "." + type + ".f32", depth / 4,
          depth / 8, 4, a, b,
          c, Kernels.PLAIN.withArchitecture(architecture));
      for (int m = 0; m < ROWS; m++) {
        for (int n = 0; n < COLUMNS; n++) {
          int at = (m % 8 * 4 + n / 2) * 4 + m / 8 * 2 + n % 2;
          int accumulator = c[at];
          for (int k = 0; k < depth; k += block) {
            var terms = new java.util.ArrayList<Term>();
            terms.add(accumulatorF32(accumulator, zero));
            for (int j = k; j < Math.min(depth, k + block); j++) {
              terms.add(product(element(a, depth / 4, m, j, ROWS), element(b, depth / 8, n, j, COLUMNS), format, zero));
            }
            accumulator = truncatedF32(sum(terms, fraction));
            if ((accumulator & 0x7FFF_FFFF) == 0x7F80_0000) break;
          }
          assertEquals(accumulator, d[at], "row " + m + " column " + n + " round " + round);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"16,80", "8,80", "16,90", "8,90"})
  void halfPrecisionSumsRoundOnceABlock(int depth, int architecture) {
    boolean hopper = architecture >= 90;
    int block = hopper ? 16 : 8;
    int zero = hopper ? -21 : -20;
    var random = new Random(architecture + depth);
    for (int round = 0; round < 30; round++) {
      int[] a = pairs(random, 32 * depth / 4, Format.F16, 6);
      int[] b = pairs(random, 32 * depth / 8, Format.F16, 6);
      int[] c = pairs(random, 64, Format.F16, round % 2 * 8);
      int[] d = execute("mma.sync.aligned.m16n8k" + depth + ".row.col.f16.f16.f16.f16", depth / 4, depth / 8, 2, a, b,
          c,
          Kernels.PLAIN.withArchitecture(architecture));
      for (int m = 0; m < ROWS; m++) {
        for (int n = 0; n < COLUMNS; n++) {
          int at = (m % 8 * 4 + n / 2) * 2 + m / 8;
          int accumulator = c[at] >>> 16 * (n % 2) & 0xFFFF;
          for (int k = 0; k < depth; k += block) {
            var terms = new java.util.ArrayList<Term>();
            var f = Format.F16;
            terms.add(Term.of(f.significand(accumulator), f.exponent(accumulator) - 10, f.exponent(accumulator), zero));
            for (int j = k; j < Math.min(depth, k + block); j++) {
              terms.add(product(element(a, depth / 4, m, j, ROWS), element(b, depth / 8, n, j, COLUMNS), f, zero));
            }
            accumulator = nearestF16(sum(terms, hopper ? 25 : 24));
            if ((accumulator & 0x7FFF) == 0x7C00) break;
          }
          assertEquals(accumulator, d[at] >>> 16 * (n % 2) & 0xFFFF, "row " + m + " column " + n);
        }
      }
    }
  }

  private static float first(int architecture, int[] a, int[] b, float c) {
    int[] accumulators = new int[128];
    accumulators[0] = Float.floatToRawIntBits(c);
    int[] d = execute("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, a, b, accumulators,
        Kernels.PLAIN.withArchitecture(architecture));
    return Float.intBitsToFloat(d[0]);
  }

  private static int[] row(int registers, int... halves) {
    int[] fragments = new int[32 * registers];
    for (int k = 0; k < halves.length; k++) {
      int register = registers == 4 ? 2 * (k / 8) : k / 8;
      fragments[k % 8 / 2 * registers + register] |= halves[k] << 16 * (k % 2);
    }
    return fragments;
  }

  @Test
  void architecturesKeepDifferentNumbersOfBits() {
    // 1 + 2^-24 + 2^-24: with 24 bits kept below 1 both count; the sum is cut to a float only at the end.
    int one = 0x3C00;
    int tiny = 0x0C00; // 2^-12
    int[] a = row(4, one, tiny, tiny);
    int[] b = row(2, one, tiny, tiny);
    assertEquals(1 + 0x1p-23f, first(80, a, b, 0));
    // 2^-25 twice is lost by 24 bits and kept by 25; together with 2^-24 it makes a visible 2^-23.
    int tinier = 0x0800; // 2^-13
    int[] a2 = row(4, one, tiny, tiny, tiny);
    int[] b2 = row(2, one, tiny, tinier, tinier);
    assertEquals(1, first(80, a2, b2, 0));
    assertEquals(1 + 0x1p-23f, first(90, a2, b2, 0));
  }

  @Test
  void blocksOfEightAreRoundedOneAfterTheOther() {
    // The second half's 2^-24 meets a sum of 1 that already lost its own 2^-24 on sm_80, not on sm_90.
    int one = 0x3C00;
    int tiny = 0x0C00;
    int[] a = row(4, one, tiny, 0, 0, 0, 0, 0, 0, tiny);
    int[] b = row(2, one, tiny, 0, 0, 0, 0, 0, 0, tiny);
    assertEquals(1, first(80, a, b, 0));
    assertEquals(1 + 0x1p-23f, first(90, a, b, 0));
  }

  @Test
  void infinitiesAndNanGoThrough() {
    int one = 0x3C00;
    int infinity = 0x7C00;
    int nan = 0x7E00;
    assertEquals(Float.POSITIVE_INFINITY, first(80, row(4, one, infinity), row(2, one, one), 0));
    assertEquals(0x7FFF_FFFF, Float.floatToRawIntBits(first(80, row(4, one, infinity), row(2, one, 0), 0)));
    assertEquals(0x7FFF_FFFF,
        Float.floatToRawIntBits(first(80, row(4, infinity, infinity), row(2, one, one | 0x8000), 0)));
    assertEquals(0x7FFF_FFFF, Float.floatToRawIntBits(first(80, row(4, one, nan), row(2, one, one), 0)));
    assertEquals(Float.NEGATIVE_INFINITY, first(80, row(4, one), row(2, one), Float.NEGATIVE_INFINITY));
  }

  @Test
  void theTargetOfTheModuleChoosesTheModel() {
    int one = 0x3C00;
    int tiny = 0x0C00;
    int[] a = row(4, one, tiny, 0, 0, 0, 0, 0, 0, tiny);
    int[] b = row(2, one, tiny, 0, 0, 0, 0, 0, 0, tiny);
    int[] byTarget =
        execute("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, a, b, new int[128], Kernels.PLAIN);
    assertEquals(1, Float.intBitsToFloat(byTarget[0]));
    assertNotEquals(first(90, a, b, 0), Float.intBitsToFloat(byTarget[0]));
  }
}
