package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;

/** Tensor-core kernels in CUDA C++, compiled by nvcc, against the same computation in Java. */
class CudaTensorTest {
  private static final int HEAD = 64;
  private static Cuda cuda;

  @BeforeAll
  static void compile() {
    cuda = Cuda.compile("tensor");
  }

  /** Small integers, whose products add up exactly in every format. */
  private static short[] integers(int n, int seed) {
    short[] a = new short[n];
    var random = new Random(seed);
    for (int i = 0; i < n; i++) a[i] = Float.floatToFloat16(random.nextInt(-8, 9));
    return a;
  }

  private static float value(short half) {
    return Float.float16ToFloat(half);
  }

  private static double product(short[] a, short[] b, int row, int column, int n, int k) {
    double sum = 0;
    for (int d = 0; d < k; d++) sum += value(a[row * k + d]) * value(b[d * n + column]);
    return sum;
  }

  @Test
  void wmmaOfHalves() {
    int m = 32;
    int n = 48;
    int k = 64;
    short[] a = integers(m * k, 1);
    short[] b = integers(k * n, 2);
    float[] c = new float[m * n];
    cuda.run("wmmaGemm", new Dim3(3, 2, 1), Dim3.of(32), 0, a, b, c, n, k);
    for (int i = 0; i < m * n; i++) assertEquals(2 * product(a, b, i / n, i % n, n, k), c[i]);
  }

  @Test
  void wmmaOfBytes() {
    int n = 32;
    int k = 80;
    byte[] a = new byte[16 * k];
    byte[] b = new byte[n * k];
    new Random(3).nextBytes(a);
    new Random(4).nextBytes(b);
    int[] c = new int[16 * n];
    cuda.run("wmmaBytes", 2, 32, a, b, c, n, k);
    for (int i = 0; i < c.length; i++) {
      int row = i / n;
      int column = i % n;
      assertEquals(IntStream.range(0, k).map(d -> a[row * k + d] * b[column * k + d]).sum(), c[i]);
    }
  }

  @Test
  void wmmaOfTf32() {
    int k = 24;
    var random = new Random(5);
    float[] a = new float[16 * k];
    float[] b = new float[k * 16];
    for (int i = 0; i < a.length; i++) a[i] = random.nextInt(-30, 30) / 4f;
    for (int i = 0; i < b.length; i++) b[i] = random.nextInt(-30, 30) / 4f;
    float[] c = new float[256];
    cuda.run("wmmaTf32", 1, 32, a, b, c, 16, k);
    for (int i = 0; i < 256; i++) {
      double sum = 0;
      for (int d = 0; d < k; d++) sum += a[i / 16 * k + d] * b[d * 16 + i % 16];
      assertEquals(sum, c[i]);
    }
  }

  @Test
  void wmmaThatChangesTheFormatOfItsSums() {
    short[] a = integers(256, 13);
    short[] b = integers(256, 14);
    short[] c = integers(256, 15);
    float[] d = new float[256];
    short[] e = new short[256];
    cuda.run("wmmaMixed", 1, 32, a, b, c, d, e);
    for (int i = 0; i < 256; i++) {
      double product = product(a, b, i / 16, i % 16, 16, 16);
      assertEquals(product + value(c[i]), d[i]);
      assertEquals(2 * product + value(c[i]), value(e[i]));
    }
  }

  @Test
  void mmaFedByLdmatrixAndPipelinedCopies() {
    int n = 128;
    int k = 96;
    short[] a = integers(64 * k, 6);
    short[] b = integers(k * n, 7);
    float[] c = new float[64 * n];
    cuda.run("mmaGemm", new Dim3(2, 1, 1), Dim3.of(128), 0, a, b, c, n, k);
    for (int i = 0; i < c.length; i++) assertEquals(product(a, b, i / n, i % n, n, k), c[i]);
  }

  private static short[] gaussians(int n, int seed) {
    var random = new Random(seed);
    short[] a = new short[n];
    for (int i = 0; i < n; i++) a[i] = Float.floatToFloat16((float) random.nextGaussian());
    return a;
  }

  @Test
  void flashAttention() {
    int queries = 32;
    int keys = 80;
    short[] q = gaussians(queries * HEAD, 8);
    short[] k = gaussians(keys * HEAD, 9);
    short[] v = gaussians(keys * HEAD, 10);
    float[] o = new float[queries * HEAD];
    float scale = (float) (1 / (8 * Math.log(2)));
    cuda.run("attention", 2, 32, q, k, v, o, keys, scale);
    for (int i = 0; i < queries; i++) {
      double[] weights = new double[keys];
      for (int j = 0; j < keys; j++) {
        double score = 0;
        for (int d = 0; d < HEAD; d++) score += value(q[i * HEAD + d]) * value(k[j * HEAD + d]);
        weights[j] = Math.exp(score / 8);
      }
      double total = IntStream.range(0, keys).mapToDouble(j -> weights[j]).sum();
      for (int d = 0; d < HEAD; d++) {
        double want = 0;
        double size = 0;
        for (int j = 0; j < keys; j++) {
          want += weights[j] / total * value(v[j * HEAD + d]);
          size += weights[j] / total * Math.abs(value(v[j * HEAD + d]));
        }
        // The weights are rounded to halves: half a unit in the last of eleven bits each.
        assertEquals(want, o[i * HEAD + d], 0x1p-11 * size + 1e-6);
      }
    }
  }

  @Test
  void arithmeticOfHalfPairs() {
    short[] a = gaussians(128, 11);
    short[] b = gaussians(128, 12);
    short[] c = new short[128];
    short[] x = new short[128];
    for (int i = 0; i < 128; i++) x[i] = (short) (Float.floatToRawIntBits(i - 60.5f) >>> 16);
    short[] y = new short[128];
    cuda.run("halves", 1, 64, a, b, c, x, y);
    for (int t = 0; t < 64; t++) {
      boolean swap = value(a[2 * t]) > value(b[2 * t + 1]);
      for (int h = 0; h < 2; h++) {
        int i = 2 * t + h;
        // Doubles hold the product and the sum exactly.
        double fused = (double) value(a[i]) * value(b[i]) + value(a[i]);
        float want = Math.max(value(Float.floatToFloat16((float) fused)), -value(b[i]));
        assertEquals(want, value(c[swap ? i ^ 1 : i]));
        float square = Float.intBitsToFloat(x[i] << 16);
        double exact = (double) square * square + square;
        assertEquals(exact, Float.intBitsToFloat(y[i] << 16), Math.ulp((float) exact) * 0x1p15);
      }
    }
  }
}
