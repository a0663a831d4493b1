package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.numerics.ElementType;
import tilewright.numerics.TensorCoreModel;

/**
 * The forms of {@code mma.sync} besides 16-bit factors. Where elements lie in registers is written down here once more,
 * from the tables of CuTe's traits: (lane group, lane in group, value) to (row, depth).
 */
class MmaFormsTest {
  /** An operand's fragment: 32 lanes of registers. */
  private static int bitsAt(int[] fragment, int registers, int lane, int value, int width) {
    int each = 32 / width;
    int word = fragment[lane * registers + value / each];
    return width == 32 ? word : word >>> value % each * width & (1 << width) - 1;
  }

  /** ((4,8),(run,2,2)):((run·16,1),(16,8,4·run·16)) for A of 16 rows, without the halves for 8 rows. */
  private static int[][] rowsOfA(int[] fragment, int registers, int rows, int depth, int width) {
    var matrix = new int[rows][depth];
    int run = 32 / width;
    for (int lane = 0; lane < 32; lane++) {
      for (int value = 0; value < registers * run; value++) {
        int half = rows == 16 ? value / run % 2 : 0;
        int step = rows == 16 ? value / run / 2 : value / run;
        matrix[lane / 4 + 8 * half][lane % 4 * run + value % run + step * 4 * run] =
            bitsAt(fragment, registers, lane, value, width);
      }
    }
    return matrix;
  }

  private static int[][] columnsOfB(int[] fragment, int registers, int depth, int width) {
    return rowsOfA(fragment, registers, 8, depth, width);
  }

  private static int accumulator(int row, int column, int registers) {
    return (row % 8 * 4 + column / 2) * registers + row / 8 * 2 + column % 2;
  }

  @ParameterizedTest
  @CsvSource({"m16n8k8,80,8", "m16n8k4,80,4", "m16n8k8,90,8", "m16n8k4,90,4"})
  void tf32DropsLowBitsAndAddsUpAsTheModelDoes(String shape, int architecture, int depth) {
    var model = TensorCoreModel.mma(architecture, ElementType.TF32, ElementType.F32);
    var random = new Random(depth + architecture);
    for (int round = 0; round < 30; round++) {
      int aCount = depth / 2;
      int bCount = depth / 4;
      int spread = round;
      int[] a = floats(random, 32 * aCount, spread);
      int[] b = floats(random, 32 * bCount, spread);
      int[] c = floats(random, 128, spread);
      int[] d = TensorCoresTest.execute("mma.sync.aligned." + shape + ".row.col.f32.tf32.tf32.f32", aCount, bCount, 4,
          a, b, c, Kernels.PLAIN.withArchitecture(architecture));
      var rows = rowsOfA(a, aCount, 16, depth, 32);
      var columns = columnsOfB(b, bCount, depth, 32);
      for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 8; n++) {
          int at = accumulator(m, n, 4);
          long expected = model.dot(c[at] & 0xFFFF_FFFFL, tf32(rows[m]), tf32(columns[n]));
          assertEquals((int) expected, d[at], m + "," + n + " round " + round);
        }
      }
    }
  }

  private static long[] tf32(int[] singles) {
    return Arrays.stream(singles).mapToLong(bits -> bits & 0xFFFF_FFFFL).toArray();
  }

  private static int[] floats(Random random, int n, int spread) {
    return IntStream.range(0, n).map(_ -> switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1 -> spread % 5 == 0 ? random.nextInt() : 0x8000_0000;
      default -> Float.floatToRawIntBits((float) (random.nextGaussian() * Math.scalb(1.0, random.nextInt(spread + 1))));
    }).toArray();
  }

  @ParameterizedTest
  @CsvSource({"m16n8k32,s8,s8", "m16n8k32,u8,s8", "m16n8k16,s8,u8", "m16n8k64,s4,s4", "m16n8k64,u4,s4",
      "m16n8k32,s4,u4"})
  void integersAreExactAndWrapOrClampOnce(String shape, String aType, String bType) {
    int width = Integer.parseInt(aType.substring(1));
    int depth = Integer.parseInt(shape.substring(6));
    int aCount = 16 * depth * width / 1024;
    int bCount = 8 * depth * width / 1024;
    var random = new Random(depth);
    for (boolean saturate : new boolean[] {false, true}) {
      int[] a = random.ints(32L * aCount).toArray();
      int[] b = random.ints(32L * bCount).toArray();
      int[] c = random.ints(128).map(v -> random.nextBoolean() ? v : v < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE)
          .toArray();
      int[] d = TensorCoresTest.execute("mma.sync.aligned." + shape + ".row.col" + (saturate ? ".satfinite" : "")
          + ".s32." + aType + "." + bType + ".s32", aCount, bCount, 4, a, b, c, Kernels.PLAIN);
      var rows = rowsOfA(a, aCount, 16, depth, width);
      var columns = columnsOfB(b, bCount, depth, width);
      for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 8; n++) {
          int at = accumulator(m, n, 4);
          long sum = c[at];
          for (int k = 0; k < depth; k++) {
            sum += (long) signed(rows[m][k], aType, width) * signed(columns[n][k], bType, width);
          }
          long clamped = Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, sum));
          assertEquals(saturate ? (int) clamped : (int) sum, d[at], m + "," + n);
        }
      }
    }
  }

  private static int signed(int bits, String type, int width) {
    return type.startsWith("s") ? bits << 32 - width >> 32 - width : bits;
  }

  @ParameterizedTest
  @CsvSource({"m16n8k128,xor", "m16n8k256,and"})
  void bitsAreCounted(String shape, String operation) {
    int depth = Integer.parseInt(shape.substring(6));
    var random = new Random(depth);
    int[] a = random.ints(depth / 2).toArray();
    int[] b = random.ints(depth / 4).toArray();
    int[] c = random.ints(128).toArray();
    int[] d = TensorCoresTest.execute("mma.sync.aligned." + shape + ".row.col.s32.b1.b1.s32." + operation + ".popc",
        depth / 64, depth / 128, 4, a, b, c, Kernels.PLAIN);
    var rows = rowsOfA(a, depth / 64, 16, depth, 1);
    var columns = columnsOfB(b, depth / 128, depth, 1);
    for (int m = 0; m < 16; m++) {
      for (int n = 0; n < 8; n++) {
        int sum = c[accumulator(m, n, 4)];
        for (int k = 0; k < depth; k++) {
          boolean counts = operation.equals("xor") ? rows[m][k] != columns[n][k] : rows[m][k] + columns[n][k] == 2;
          if (counts) sum++;
        }
        assertEquals(sum, d[accumulator(m, n, 4)], m + "," + n);
      }
    }
  }

  @Test
  void doublesAreAChainOfFusedMultiplyAdds() {
    var random = new Random(4);
    var body = new StringBuilder();
    for (int p = 0; p < 2; p++) {
      body.append("add.s64 %l0, %p").append(p).append(", %t8;\nld.global.f64 %d").append(p).append(", [%l0];\n");
    }
    body.append("""
        add.s64 %l1, %t8, %t8;
        add.s64 %l2, %p2, %l1;
        ld.global.v2.f64 {%d2, %d3}, [%l2];
        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d2, %d3}, {%d0}, {%d1}, {%d2, %d3};
        st.global.v2.f64 [%l2], {%d2, %d3};
        """);
    double[] a = random.doubles(32, -1, 1).toArray();
    double[] b = random.doubles(32, -1, 1).toArray();
    double[] c = random.doubles(64, -1, 1).toArray();
    double[] d = c.clone();
    assertTrue(Kernels.run(Kernels.kernel(3, body.toString()), 32, Kernels.PLAIN, a, b, d).ok());
    for (int m = 0; m < 8; m++) {
      for (int n = 0; n < 8; n++) {
        double sum = c[8 * m + n];
        for (int k = 0; k < 4; k++) sum = Math.fma(a[4 * m + k], b[4 * n + k], sum);
        assertEquals(sum, d[8 * m + n], m + "," + n);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"m16n16k16,f16,f32,row,col", "m32n8k16,f16,f32,col,row", "m8n32k16,bf16,f32,row,row",
      "m16n16k8,tf32,f32,col,col", "m16n16k16,f16,f16,row,row", "m16n16k16,s8,s32,row,col", "m32n8k16,u8,s32,col,row"})
  void wmmaMultipliesMatricesInMemory(String shape, String type, String sums, String aLayout, String bLayout) {
    int[] e = Arrays.stream(shape.substring(1).split("[nk]")).mapToInt(Integer::parseInt).toArray();
    int m = e[0];
    int n = e[1];
    int k = e[2];
    int bytes = switch (type) {
      case "tf32" -> 4;
      case "s8", "u8" -> 1;
      default -> 2;
    };
    var random = new Random(m + n);
    // Small integers: every product and sum is exact in every type, so that plain arithmetic is the oracle.
    int[][] a = values(random, m, k, type);
    int[][] b = values(random, n, k, type);
    int[][] c = values(random, m, n, type);
    int pad = 8;
    byte[] aBytes = stored(a, aLayout.equals("row"), pad, bytes, type);
    byte[] bBytes = stored(b, bLayout.equals("col"), pad, bytes, type);
    int sumBytes = sums.equals("f16") ? 2 : 4;
    byte[] cBytes = stored(c, true, 0, sumBytes, sums);
    byte[] d = new byte[m * n * sumBytes];
    int aStride = (aLayout.equals("row") ? k : m) + pad;
    int bStride = (bLayout.equals("col") ? k : n) + pad;
    var ptx = wmma(shape, type, sums, aLayout, bLayout, aStride, bStride);
    var result = Kernels.run(Kernels.kernel(4, ptx), 32, Kernels.SANITIZED, aBytes, bBytes, cBytes, d);
    assertEquals(List.of(), result.findings());
    var expected = new int[m][n];
    for (int row = 0; row < m; row++) {
      for (int column = 0; column < n; column++) {
        expected[row][column] = c[row][column];
        for (int j = 0; j < k; j++) expected[row][column] += a[row][j] * b[column][j];
      }
    }
    // D is stored column-major, packed.
    assertEquals(List.of(box(stored(expected, false, 0, sumBytes, sums))), List.of(box(d)));
  }

  private static List<Byte> box(byte[] bytes) {
    var list = new ArrayList<Byte>();
    for (byte b : bytes) list.add(b);
    return list;
  }

  private static int[][] values(Random random, int rows, int columns, String type) {
    var matrix = new int[rows][columns];
    for (var row : matrix) {
      for (int i = 0; i < columns; i++) row[i] = type.equals("u8") ? random.nextInt(256) : random.nextInt(-8, 9);
    }
    return matrix;
  }

  /** Runs of the first or, transposed, of the second index, each followed by a pad. */
  private static byte[] stored(int[][] matrix, boolean rowMajor, int pad, int bytes, String type) {
    int outer = rowMajor ? matrix.length : matrix[0].length;
    int inner = rowMajor ? matrix[0].length : matrix.length;
    var out = new byte[outer * (inner + pad) * bytes];
    for (int o = 0; o < outer; o++) {
      for (int i = 0; i < inner; i++) {
        int value = rowMajor ? matrix[o][i] : matrix[i][o];
        int bits = switch (type) {
          case "f16" -> Float.floatToFloat16(value);
          case "bf16" -> Float.floatToRawIntBits(value) >>> 16;
          case "tf32", "f32" -> Float.floatToRawIntBits(value);
          default -> value;
        };
        for (int byteIndex = 0; byteIndex < bytes; byteIndex++) {
          out[(o * (inner + pad) + i) * bytes + byteIndex] = (byte) (bits >> 8 * byteIndex);
        }
      }
    }
    return out;
  }

  private static String wmma(String shape, String type, String sums, String aLayout, String bLayout, int aStride,
      int bStride) {
    boolean integer = sums.equals("s32");
    int[] e = Arrays.stream(shape.substring(1).split("[nk]")).mapToInt(Integer::parseInt).toArray();
    int width = type.equals("tf32") ? 32 : integer ? 8 : 16;
    int aCount = type.equals("f16") ? 8 : e[0] * e[2] * width / 1024;
    int bCount = type.equals("f16") ? 8 : e[1] * e[2] * width / 1024;
    int cCount = sums.equals("f16") ? 4 : 8;
    var sumRegister = sums.equals("f32") ? "%f" : "%r";
    var a = registers("%r", 0, aCount);
    var b = registers("%r", aCount, bCount);
    var c = registers(sumRegister, integer || sums.equals("f16") ? aCount + bCount : 0, cCount);
    var types = switch (type) {
      case "f16" -> sums + "." + sums;
      default -> sums + "." + type + "." + type + "." + sums;
    };
    return """
        wmma.load.a.sync.aligned.%1$s.%3$s.global.%4$s %5$s, [%%p0], %8$d;
        wmma.load.b.sync.aligned.%2$s.%3$s.global.%4$s %6$s, [%%p1], %9$d;
        wmma.load.c.sync.aligned.row.%3$s.global.%10$s %7$s, [%%p2];
        wmma.mma.sync.aligned.%1$s.%2$s.%3$s.%11$s %7$s, %5$s, %6$s, %7$s;
        wmma.store.d.sync.aligned.col.%3$s.global.%10$s [%%p3], %7$s;
        """.formatted(aLayout, bLayout, shape, type, a, b, c, aStride, bStride, sums, types);
  }

  private static String registers(String prefix, int first, int count) {
    var names = IntStream.range(first, first + count).mapToObj(i -> prefix + i).toList();
    return "{" + String.join(",", names) + "}";
  }

  @Test
  void movmatrixTransposesAMatrixOfHalves() {
    int[] in = IntStream.range(0, 32).map(lane -> pair(lane / 4, lane % 4 * 2)).toArray();
    int[] out = new int[32];
    Kernels.run(Kernels.kernel(2, Instructions.load("u32", "%r0", 0, "%t4")
        + "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;\n" + Instructions.store("u32", "%r1", 1, "%t4")), 32,
        Kernels.PLAIN, in, out);
    for (int lane = 0; lane < 32; lane++) {
      int row = lane / 4;
      int column = lane % 4 * 2;
      assertEquals(column * 8 + row | (column + 1) * 8 + row << 16, out[lane]);
    }
  }

  private static int pair(int row, int column) {
    return row * 8 + column | row * 8 + column + 1 << 16;
  }
}
