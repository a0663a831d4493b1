package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.simulator.tensorcore.ExactDot;

/** Dense multiplications without block scales, output by output against the definition of their sums. */
class TensorMmaTest {
  /** How a type is stored and named. */
  private enum Type {
    F16("f16", 16, 0), BF16("bf16", 16, 1), TF32("tf32", 32, 2), E4M3("e4m3", 8, 0), E5M2("e5m2", 8, 1),
    E2M3("e2m3", 6, 3), E3M2("e3m2", 6, 4), E2M1("e2m1", 4, 5);

    final String text;
    final int bits;
    final int code;

    Type(String text, int bits, int code) {
      this.text = text;
      this.bits = bits;
      this.code = code;
    }

    /** The bits as the definition takes them. */
    int exact(int element) {
      return this == TF32 ? element >>> 13 : element;
    }
  }

  /** Where sixteen bytes of a row lie in a matrix of rows of 32 bytes, by swizzle code, with the strides for it. */
  private static int place(int row, int chunk, int swizzle) {
    return switch (swizzle) {
      case 0 -> row / 8 * 256 + chunk * 128 + row % 8 * 16;
      case 6 -> row / 8 * 256 + row % 8 * 32 + (chunk ^ row / 4 % 2) * 16;
      case 4 -> row / 8 * 512 + row % 8 * 64 + (chunk ^ row / 2 % 4) * 16;
      default -> row / 8 * 1024 + row % 8 * 128 + (chunk ^ row % 8) * 16;
    };
  }

  private static int stride(int swizzle) {
    return switch (swizzle) {
      case 4 -> 512;
      case 2 -> 1024;
      default -> 256;
    };
  }

  private static void set(byte[] memory, int base, int row, int k, int swizzle, Type type, int element) {
    int container = Math.max(8, type.bits);
    int each = 128 / container;
    int at = base + place(row, k / each, swizzle);
    int bit = k % each * type.bits;
    for (int i = 0; i < type.bits; i++) {
      int b = bit + i;
      if ((element >>> i & 1) != 0) memory[at + b / 8] |= (byte) (1 << b % 8);
    }
  }

  private static int random(Random random, Type type) {
    int bits = random.nextInt() & -1 >>> 32 - type.bits;
    // Mostly numbers of like size, so that the cut matters; sometimes any pattern.
    if (random.nextInt(12) == 0) return bits;
    return switch (type) {
      case F16 -> bits & 0x83FF | 12 + random.nextInt(6) << 10;
      case BF16 -> bits & 0x807F | 120 + random.nextInt(12) << 7;
      case TF32 -> bits & 0x807FFFFF | 120 + random.nextInt(12) << 23;
      case E5M2 -> bits & 0x83 | 10 + random.nextInt(10) << 2;
      default -> (bits & 0x7F) == 0x7F ? 0 : bits;
    };
  }

  private static int accumulator(Random random, boolean half) {
    float value = (float) Math.scalb(random.nextGaussian(), random.nextInt(12) - 6);
    return half ? Float.floatToFloat16(value) & 0xFFFF : Float.floatToRawIntBits(value);
  }

  /** One multiplication and all that can be asked of it. */
  private record Case(Type a, Type b, boolean half, int m, int n, int ctas, boolean ws, boolean tensorA, int swizzle,
      long seed) {
    String kind() {
      return switch (a) {
        case F16, BF16 -> "f16";
        case TF32 -> "tf32";
        default -> "f8f6f4";
      };
    }

    int depth() {
      return 256 / Math.max(8, a.bits);
    }

    int descriptor() {
      return (half ? 0 : 1) << 4 | a.code << 7 | b.code << 10 | n / 8 << 17 | m / 16 << 24;
    }

    /** CTA, lane and column of an output, from the ISA's pictures of the data paths. */
    int[] output(int row, int column) {
      if (ctas == 2) {
        return m == 256 ? new int[] {row / 128, row % 128, column}
            : new int[] {row / 64, row % 64 + (column < n / 2 ? 0 : 64), column % (n / 2)};
      }
      if (m == 128) return new int[] {0, row, column};
      if (m == 32) return new int[] {0, row + 32 * (column / (n / 4)), column % (n / 4)};
      return ws ? new int[] {0, row + 64 * (column / (n / 2)), column % (n / 2)}
          : new int[] {0, row / 16 * 32 + row % 16, column};
    }
  }

  private static void check(Case t) {
    var random = new Random(t.seed);
    int depth = t.depth();
    int size = 256 * 128;
    var machine = new TensorMachine(t.ctas, 2 * size,
        TensorMachine.descriptor(0, 128, stride(t.swizzle), t.swizzle),
        TensorMachine.descriptor(size, 128, stride(t.swizzle), t.swizzle));
    var a = new int[t.m][depth];
    var b = new int[t.n][depth];
    for (int row = 0; row < t.m; row++) {
      int cta = row / (t.m / t.ctas);
      for (int k = 0; k < depth; k++) {
        a[row][k] = random(random, t.a);
        if (t.tensorA) {
          // A lies in the lanes of every output of its row, in the middle of a byte where it has four bits.
          int element = t.a == Type.E2M1 ? a[row][k] << 2 : a[row][k];
          int each = depth / 8;
          for (int column = 0; column < t.n; column += 8) {
            var at = t.output(row, column);
            machine.tensor[TensorMachine.cell(cta, at[1], 256 + k / each)] |= element << k % each * (32 / each);
            column += t.n / 8;
          }
        } else {
          set(machine.shared, cta * machine.sharedBytes(), row % (t.m / t.ctas), k, t.swizzle, t.a, a[row][k]);
        }
      }
    }
    for (int column = 0; column < t.n; column++) {
      int cta = column / (t.n / t.ctas);
      for (int k = 0; k < depth; k++) {
        b[column][k] = random(random, t.b);
        set(machine.shared, cta * machine.sharedBytes() + size, column % (t.n / t.ctas), k, t.swizzle, t.b,
            b[column][k]);
      }
    }
    for (int row = 0; row < t.m; row++) {
      for (int column = 0; column < t.n; column++) {
        var at = t.output(row, column);
        machine.tensor[TensorMachine.cell(at[0], at[1], at[2])] = accumulator(random, t.half);
      }
    }
    var expected = expected(t, machine.tensor.clone(), a, b);
    var result = machine.run("  mov.b32 %r10, " + t.descriptor() + ";\n  add.u32 %r11, %tm, 256;\n  tcgen05.mma"
        + (t.ws ? ".ws" : "") + ".cta_group::" + t.ctas + ".kind::" + t.kind() + " [%tm], "
        + (t.tensorA ? "[%r11]" : "%l10") + ", %l11, %r10, %q1;", Blackwell.PLAIN.withSeed(t.seed));
    assertEquals(List.of(), result.findings());
    for (int i = 0; i < expected.length; i++) {
      if (expected[i] != machine.tensor[i]) {
        assertEquals(Integer.toHexString(expected[i]), Integer.toHexString(machine.tensor[i]),
            t + ": lane " + i / 512 + " column " + i % 512);
      }
    }
  }

  private static int[] expected(Case t, int[] tensor, int[][] a, int[][] b) {
    int block = Math.min(32, 256 / Math.max(8, t.a.bits));
    var dot = new ExactDot(25, block, -133, t.half ? 10 : 23);
    for (int row = 0; row < t.m; row++) {
      for (int column = 0; column < t.n; column++) {
        var at = t.output(row, column);
        int cell = TensorMachine.cell(at[0], at[1], at[2]);
        var x = java.util.Arrays.stream(a[row]).map(t.a::exact).toArray();
        var y = java.util.Arrays.stream(b[column]).map(t.b::exact).toArray();
        tensor[cell] = dot.sum(tensor[cell], x, ExactDot.Format.of(t.a.text), y, ExactDot.Format.of(t.b.text));
      }
    }
    return tensor;
  }

  @ParameterizedTest
  @CsvSource({"BF16, BF16, false, 128, 64, 0", "F16, F16, false, 128, 16, 2", "F16, F16, true, 64, 24, 4",
      "TF32, TF32, false, 128, 32, 6", "TF32, TF32, false, 64, 8, 2", "E4M3, E5M2, false, 128, 48, 2",
      "E5M2, E4M3, true, 128, 16, 0", "E2M3, E3M2, false, 64, 40, 4", "E2M1, E4M3, false, 128, 16, 6",
      "E3M2, E2M1, true, 64, 16, 2", "BF16, BF16, false, 64, 256, 2"})
  void oneCta(Type a, Type b, boolean half, int m, int n, int swizzle) {
    check(new Case(a, b, half, m, n, 1, false, false, swizzle, m + n));
  }

  @ParameterizedTest
  @CsvSource({"BF16, BF16, false, 256, 64, 2", "F16, F16, true, 128, 32, 0", "E4M3, E4M3, false, 256, 32, 2",
      "TF32, TF32, false, 128, 48, 4"})
  void pairsOfCtas(Type a, Type b, boolean half, int m, int n, int swizzle) {
    check(new Case(a, b, half, m, n, 2, false, false, swizzle, m + n));
  }

  @ParameterizedTest
  @CsvSource({"BF16, BF16, 32, 64", "F16, F16, 64, 128", "E4M3, E2M1, 128, 64", "TF32, TF32, 32, 128"})
  void weightStationary(Type a, Type b, int m, int n) {
    check(new Case(a, b, false, m, n, 1, true, false, 2, m + n));
  }

  @ParameterizedTest
  @CsvSource({"BF16, BF16, 128, 16, 1, false", "TF32, TF32, 64, 16, 1, false", "E4M3, E5M2, 128, 16, 1, false",
      "E2M1, E2M3, 128, 16, 1, false", "E3M2, E2M1, 64, 16, 1, false", "F16, F16, 256, 32, 2, false",
      "BF16, BF16, 128, 32, 2, false", "F16, F16, 64, 64, 1, true", "E5M2, E5M2, 32, 64, 1, true"})
  void aInTensorMemory(Type a, Type b, int m, int n, int ctas, boolean ws) {
    check(new Case(a, b, false, m, n, ctas, ws, true, 2, m + n + ctas));
  }
}
