package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.oracle.SmallFormat;

/**
 * {@code mma.sync} of kinds, with factors and scales whose sums are exact: which registers, bytes and lanes hold what
 * is written down here once more (PTX ISA, Matrix Fragments for mma.m16n8k32 and mma.m16n8k64; Block scaling).
 */
class BlockScaledMmaTest {
  private static final int ROWS = 16;
  private static final int COLUMNS = 8;
  private static final int LANES = 32;
  private static final float LARGEST = 4;

  /** One multiplication: fragments by lane and register, scales by lane. */
  private static final class Product {
    final int[] a = new int[LANES * 4];
    final int[] b = new int[LANES * 2];
    final int[] c = new int[LANES * 4];
    final int[] scales = new int[2 * LANES];
    final Random random;
    final int depth;

    Product(int depth, long seed) {
      this.depth = depth;
      random = new Random(seed);
      for (int i = 0; i < c.length; i++) c[i] = Float.floatToRawIntBits(random.nextInt(-64, 64));
    }

    private int bits() {
      return depth == 64 ? 4 : 8;
    }

    /** An element that is small, and a small whole number of quarters; in a byte, four bits stand in the middle. */
    private int draw(SmallFormat format) {
      while (true) {
        int code = random.nextInt(1 << format.bits);
        double value = format.value(code) * 4;
        if (Math.abs(value) <= 4 * LARGEST && value == Math.rint(value)) {
          return bits() == 8 && format == SmallFormat.E2M1 ? code << 2 : code;
        }
      }
    }

    void fill(SmallFormat left, SmallFormat right) {
      for (int i = 0; i < a.length; i++) for (int at = 0; at < 32; at += bits()) a[i] |= draw(left) << at;
      for (int i = 0; i < b.length; i++) for (int at = 0; at < 32; at += bits()) b[i] |= draw(right) << at;
    }

    private double value(int register, int k, SmallFormat format) {
      int code = register >>> k % (32 / bits()) * bits() & (1 << bits()) - 1;
      return format.value(bits() == 8 && format == SmallFormat.E2M1 ? code >> 2 : code);
    }

    /** Registers hold runs of 32 bits; four lanes side by side; then the rows eight on, then the next runs. */
    double a(int row, int k, SmallFormat format) {
      int run = 32 / bits();
      return value(a[(row % 8 * 4 + k / run % 4) * 4 + row / 8 + 2 * (k / run / 4)], k, format);
    }

    double b(int column, int k, SmallFormat format) {
      int run = 32 / bits();
      return value(b[(column * 4 + k / run % 4) * 2 + k / run / 4], k, format);
    }

    float c(int[] sums, int row, int column) {
      return Float.intBitsToFloat(sums[(row % 8 * 4 + column / 2) * 4 + row / 8 * 2 + column % 2]);
    }

    int[] run(String instruction, String selectors) {
      var body = """
          mul.lo.u32 %r20, %t, 16;
          cvt.u64.u32 %l0, %r20;
          add.s64 %l1, %p0, %l0;
          ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%l1];
          add.s64 %l2, %p1, %t8;
          ld.global.v2.u32 {%r4, %r5}, [%l2];
          add.s64 %l3, %p2, %l0;
          ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%l3];
          add.s64 %l4, %p3, %t4;
          ld.global.u32 %r6, [%l4];
          ld.global.u32 %r7, [%l4+128];
          """ + instruction + " {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3}"
          + selectors + ";\nst.global.v4.f32 [%l3], {%f0, %f1, %f2, %f3};\n";
      int[] d = c.clone();
      var result = Kernels.run(Kernels.kernel("sm_120a", 4, "", body), LANES, Kernels.PLAIN, a, b, d, scales);
      assertEquals(List.of(), result.findings());
      return d;
    }
  }

  @ParameterizedTest
  @CsvSource({"e3m2,e2m1", "e2m1,e4m3", "e2m3,e5m2", "e5m2,e3m2", "e2m1,e2m1"})
  void factorsOfSixAndFourBitsHaveAByteEach(String left, String right) {
    for (int seed = 0; seed < 20; seed++) {
      var p = new Product(32, seed);
      var l = SmallFormat.of(left);
      var r = SmallFormat.of(right);
      p.fill(l, r);
      int[] d = p.run("mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32." + left + "." + right + ".f32", "");
      for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
          double sum = p.c(p.c, row, column);
          for (int k = 0; k < 32; k++) sum += p.a(row, k, l) * p.b(column, k, r);
          assertEquals((float) sum, p.c(d, row, column), row + "," + column);
        }
      }
    }
  }

  private static double scale(int bits, String type) {
    return type.equals("ue8m0") ? Math.scalb(1.0, bits - 127) : SmallFormat.E4M3.value(bits);
  }

  /** Scales are 1/2, 1 and 2, all four bytes of all lanes different enough to tell a wrong one. */
  private static int scaleBits(Random random, String type) {
    int least = type.equals("ue8m0") ? 126 : 0x30;
    int step = type.equals("ue8m0") ? 1 : 8;
    return IntStream.range(0, 4).map(k -> least + step * random.nextInt(3) << 8 * k).reduce(0, (x, y) -> x | y);
  }

  @ParameterizedTest
  @CsvSource({"mxf8f6f4.block_scale.scale_vec::1X,1,32,e4m3,e3m2,ue8m0", "mxf8f6f4.block_scale,1,32,e2m1,e5m2,ue8m0",
      "mxf4.block_scale.scale_vec::2X,2,64,e2m1,e2m1,ue8m0", "mxf4.block_scale,2,64,e2m1,e2m1,ue8m0",
      "mxf4nvf4.block_scale.scale_vec::2X,2,64,e2m1,e2m1,ue8m0",
      "mxf4nvf4.block_scale.scale_vec::4X,4,64,e2m1,e2m1,ue8m0",
      "mxf4nvf4.block_scale.scale_vec::4X,4,64,e2m1,e2m1,ue4m3"})
  void rowsAndColumnsHaveTheirScales(String kind, int vector, int depth, String left, String right, String type) {
    for (int seed = 0; seed < 24; seed++) {
      var p = new Product(depth, seed);
      var l = SmallFormat.of(left);
      var r = SmallFormat.of(right);
      p.fill(l, r);
      for (int i = 0; i < p.scales.length; i++) p.scales[i] = scaleBits(p.random, type);
      int aByte = seed % (4 / vector) * vector;
      int bByte = seed / 2 % (4 / vector) * vector;
      int aThread = seed % 2;
      int bThread = seed % 4;
      int[] d = p.run("mma.sync.aligned.kind::" + kind + ".m16n8k" + depth + ".row.col.f32." + left + "." + right
          + ".f32." + type, ", %r6, {" + aByte + ", " + aThread + "}, %r7, {" + bByte + ", " + bThread + "}");
      for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
          int aWord = p.scales[row % 8 * 4 + 2 * aThread + row / 8];
          int bWord = p.scales[LANES + column * 4 + bThread];
          double sum = p.c(p.c, row, column);
          for (int k = 0; k < depth; k++) {
            int block = k / (depth / vector);
            sum += p.a(row, k, l) * p.b(column, k, r) * scale(aWord >>> 8 * (aByte + block) & 0xFF, type)
                * scale(bWord >>> 8 * (bByte + block) & 0xFF, type);
          }
          assertEquals((float) sum, p.c(d, row, column), row + "," + column + " seed " + seed);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{1, 0}, %r7, {0, 0}", "{0, 2}, %r7, {0, 0}", "{0, 0}, %r7, {4, 0}", "{0, 0}, %r7, {0, 4}"})
  void bytesAndThreadsThatDoNotExistAreErrors(String selectors) {
    var ptx = Kernels.kernel("sm_120a", 0, "", "mma.sync.aligned.kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col"
        + ".f32.e2m1.e2m1.f32.ue8m0 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3}, %r6, "
        + selectors + ";\n");
    var result = Kernels.run(ptx, LANES, Kernels.PLAIN);
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("for scale_vec::2X of "), result.findings().toString());
  }

  @Test
  void whatAnArchitectureHasNotIsSaidBeforeTheLaunch() {
    var fp8 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, "
        + "{%r4, %r5}, {%f0, %f1, %f2, %f3};\n";
    assertRefused("sm_80", fp8, "use sm_89 or newer");
    assertRefused("sm_100a", fp8.replace("aligned.", "aligned.kind::f8f6f4."), "use sm_120 or newer");
    assertEquals(List.of(), Kernels.run(Kernels.kernel("sm_120a", 0, "", fp8), LANES, Kernels.PLAIN).findings());
  }

  private static void assertRefused(String target, String body, String part) {
    var ptx = Kernels.kernel(target, 0, "", body);
    var refusal = assertThrows(IllegalArgumentException.class, () -> Kernels.run(ptx, LANES, Kernels.PLAIN));
    assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
  }
}
