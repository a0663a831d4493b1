package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.tensorcore.ExactDot;

/** Every form of {@code wgmma.mma_async} with a dense A, against the definition of its sums. */
class WgmmaTest {
  /** A product D = A·B of 64 rows, as PTX names its types. */
  record Form(String d, String a, String b, int columns, boolean registers, boolean transA, boolean transB,
      int swizzle, int signs) {
    Form(String d, String a, String b, int columns) {
      this(d, a, b, columns, false, false, false, 128, 1);
    }

    Form inRegisters() {
      return new Form(d, a, b, columns, true, false, transB, swizzle, signs);
    }

    Form transposed(boolean left, boolean right) {
      return new Form(d, a, b, columns, registers, left, right, swizzle, signs);
    }

    Form swizzled(int bytes) {
      return new Form(d, a, b, columns, registers, transA, transB, bytes, signs);
    }

    Form negative() {
      return new Form(d, a, b, columns, registers, transA, transB, swizzle, -1);
    }

    int bits() {
      return switch (a) {
        case "b1" -> 1;
        case "tf32" -> 32;
        case "f16", "bf16" -> 16;
        default -> 8;
      };
    }

    int depth() {
      return 256 / bits();
    }

    boolean integers() {
      return d.equals("s32");
    }

    WgmmaKernel kernel(String suffix) {
      var immediates = integers() ? "" : signs + ", 1" + (bits() != 16 ? "" : (registers ? "" : transA ? ", 1" : ", 0")
          + (transB ? ", 1" : ", 0"));
      return new WgmmaKernel("m64n" + columns + "k" + depth() + "." + d + "." + a + "." + b
          + (a.equals("b1") ? ".and.popc" : "") + suffix, columns / (d.equals("f16") ? 4 : 2), registers, -1,
          immediates);
    }
  }

  static Stream<Form> forms() {
    var floats = new Form("f32", "bf16", "bf16", 64);
    var bytes = Stream.of("e4m3 e4m3", "e4m3 e5m2", "e5m2 e4m3", "e5m2 e5m2").map(s -> s.split(" "))
        .flatMap(s -> Stream.of(new Form("f32", s[0], s[1], 40), new Form("f16", s[0], s[1], 16)));
    var integers = Stream.of("s8 s8", "s8 u8", "u8 s8", "u8 u8").map(s -> s.split(" "))
        .map(s -> new Form("s32", s[0], s[1], 24));
    return Stream.of(
        Stream.of(8, 16, 24, 72, 256).map(n -> new Form("f32", "bf16", "bf16", n)),
        Stream.of(0, 32, 64).map(floats::swizzled), Stream.of(floats.inRegisters(), floats.negative()),
        Stream.of(0, 32, 64, 128).flatMap(s -> Stream.of(floats.swizzled(s).transposed(true, true),
            floats.swizzled(s).transposed(false, true), floats.swizzled(s).transposed(true, false))),
        Stream.of(new Form("f32", "f16", "f16", 48), new Form("f16", "f16", "f16", 80),
            new Form("f16", "f16", "f16", 8).inRegisters(), new Form("f32", "tf32", "tf32", 32),
            new Form("f32", "tf32", "tf32", 8).inRegisters(), new Form("f32", "e5m2", "e4m3", 8).inRegisters(),
            new Form("s32", "s8", "u8", 160).inRegisters(), new Form("s32", "b1", "b1", 96),
            new Form("s32", "b1", "b1", 8).inRegisters()),
        bytes, integers).flatMap(s -> s);
  }

  private record Operands(int[][] a, int[][] b, int[] c, WgmmaKernel.Inputs inputs) {}

  private static Operands draw(Form form, Random random, boolean accumulate) {
    int depth = form.depth();
    int[][] a = draw(form.a, 64, depth, random);
    int[][] b = draw(form.b, form.columns, depth, random);
    var left = SharedImage.of(0, form.swizzle, !form.transA, form.bits(), 64, depth);
    var right = SharedImage.of(16384, form.swizzle, !form.transB, form.bits(), form.columns, depth);
    byte[] shared = new byte[16384 + 32768];
    for (int k = 0; k < depth; k++) {
      for (int m = 0; m < 64; m++) left.put(shared, m, k, a[m][k]);
      for (int n = 0; n < form.columns; n++) right.put(shared, n, k, b[n][k]);
    }
    int[] c = random.ints(64L * form.columns / (form.d.equals("f16") ? 2 : 1)).toArray();
    if (form.d.equals("f32")) for (int i = 0; i < c.length; i++) c[i] = draw("f32", random);
    var inputs = new WgmmaKernel.Inputs(shared, left.descriptor(), right.descriptor(), fragments(a, form.bits()),
        new int[0], c, accumulate);
    return new Operands(a, b, c, inputs);
  }

  private static int[][] draw(String type, int rows, int depth, Random random) {
    int[][] bits = new int[rows][depth];
    for (var row : bits) for (int k = 0; k < depth; k++) row[k] = draw(type, random);
    return bits;
  }

  /** Any bits one time in a hundred, else a number near one. */
  private static int draw(String type, Random random) {
    int any = random.nextInt();
    if (type.equals("b1")) return any & 1;
    if (type.endsWith("8")) return any & 0xFF;
    float near = random.nextFloat(-4, 4);
    boolean ordinary = random.nextInt(100) > 0;
    return switch (type) {
      case "f16" -> ordinary ? Float.floatToFloat16(near) & 0xFFFF : any & 0xFFFF;
      case "bf16" -> (ordinary ? Float.floatToRawIntBits(near) : any) >>> 16;
      case "e4m3", "e5m2" -> any & (ordinary ? 0xBF : 0xFF);
      default -> ordinary ? Float.floatToRawIntBits(near) : any;
    };
  }

  /** A's registers by thread: rows l/4 and l/4+8 of a warp's sixteen, and of every sixteen bytes four. */
  private static int[] fragments(int[][] a, int bits) {
    int each = 32 / bits;
    int[] words = new int[4 * WgmmaKernel.THREADS];
    for (int t = 0; t < WgmmaKernel.THREADS; t++) {
      for (int r = 0; r < 4; r++) {
        int row = t / 32 * 16 + t % 32 / 4 + r % 2 * 8;
        for (int e = 0; e < each; e++) {
          words[4 * t + r] |= a[row][(t % 4 + r / 2 * 4) * each + e] << e * bits;
        }
      }
    }
    return words;
  }

  /** Where an output is among all threads' registers, in elements. */
  private static int place(int row, int column, int columns) {
    int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    return thread * columns / 2 + column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
  }

  private static int element(int[] words, int place, boolean half) {
    return half ? words[place / 2] >>> place % 2 * 16 & 0xFFFF : words[place];
  }

  @ParameterizedTest
  @MethodSource("forms")
  void sumsAreTheDefinitionsBitForBit(Form form) {
    var random = new Random(form.hashCode());
    for (boolean accumulate : new boolean[] {true, false}) {
      var operands = draw(form, random, accumulate);
      int[] d = form.kernel("").run(operands.inputs, Kernels.SANITIZED.withSeed(random.nextInt(100)));
      boolean half = form.d.equals("f16");
      for (int m = 0; m < 64; m++) {
        for (int n = 0; n < form.columns; n++) {
          int place = place(m, n, form.columns);
          int c = accumulate ? element(operands.c, place, half) : 0;
          int expected = form.integers() ? integer(c, operands.a[m], operands.b[n], form)
              : exact(form, c, operands.a[m], operands.b[n]);
          assertEquals(Integer.toHexString(expected), Integer.toHexString(element(d, place, half)), m + "," + n);
        }
      }
    }
  }

  private static int exact(Form form, int c, int[] a, int[] b) {
    boolean bytes = form.bits() == 8;
    boolean half = form.d.equals("f16");
    var definition = new ExactDot(bytes ? 13 : 25, form.depth(), half ? -21 : -133, half ? 10 : bytes ? 13 : 23);
    int[] left = a.clone();
    int shift = form.a.equals("tf32") ? 13 : 0;
    for (int k = 0; k < left.length; k++) {
      left[k] = left[k] >>> shift ^ (form.signs < 0 ? 1 << form.bits() - shift - 1 : 0);
    }
    int[] right = java.util.Arrays.stream(b).map(x -> x >>> shift).toArray();
    return definition.sum(c, left, ExactDot.Format.of(form.a), right, ExactDot.Format.of(form.b));
  }

  private static int integer(int c, int[] a, int[] b, Form form) {
    int sum = c;
    for (int k = 0; k < a.length; k++) {
      int x = form.a.equals("s8") ? (byte) a[k] : a[k];
      int y = form.b.equals("s8") ? (byte) b[k] : b[k];
      sum += x * y;
    }
    return sum;
  }

  @Test
  void saturatedSumsOfIntegersAreClampedOnce() {
    var form = new Form("s32", "s8", "s8", 8);
    byte[] shared = new byte[16384 + 32768];
    java.util.Arrays.fill(shared, (byte) -128);
    int[] c = new int[64 * 8];
    for (int i = 0; i < c.length; i++) c[i] = i % 2 == 0 ? Integer.MAX_VALUE - 5 : Integer.MIN_VALUE;
    var image = SharedImage.of(0, 128, true, 8, 64, 32);
    long same = image.descriptor();
    var inputs = new WgmmaKernel.Inputs(shared, same, same, new int[0], new int[0], c, true);
    int[] d = form.kernel(".satfinite").run(inputs, Kernels.PLAIN);
    for (int i = 0; i < d.length; i++) {
      assertEquals(i % 2 == 0 ? Integer.MAX_VALUE : Integer.MIN_VALUE + 32 * 128 * 128, d[i]);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7})
  void aDifferentOrderOfWarpsChangesNothing(long seed) {
    var form = new Form("f32", "f16", "f16", 16);
    var operands = draw(form, new Random(5), true);
    int[] expected = form.kernel("").run(operands.inputs, Kernels.PLAIN);
    org.junit.jupiter.api.Assertions.assertArrayEquals(expected,
        form.kernel("").run(operands.inputs, Kernels.PLAIN.withSeed(seed)));
  }
}
