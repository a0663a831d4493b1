package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;

/** Kernels of CUDA courses, compiled by nvcc, against the same computation in Java. */
class CudaBasicsTest {
  private static Cuda cuda;

  @BeforeAll
  static void compile() {
    cuda = Cuda.compile("basics");
  }

  private static float[] floats(int n, int seed) {
    var random = new Random(seed);
    float[] a = new float[n];
    for (int i = 0; i < n; i++) a[i] = (float) random.nextGaussian();
    return a;
  }

  private static double[] doubles(int n, int seed) {
    return new Random(seed).doubles(n, -4, 4).toArray();
  }

  @Test
  void templatesOfVectorAddition() {
    float[] a = floats(1000, 1);
    float[] b = floats(1000, 2);
    float[] c = new float[1000];
    cuda.run("_Z9vectorAddIfEvPKT_S2_PS0_i", 3, 128, a, b, c, 1000);
    for (int i = 0; i < 1000; i++) assertEquals(a[i] + b[i], c[i]);
    double[] d = doubles(500, 3);
    double[] sum = new double[500];
    cuda.run("_Z9vectorAddIdEvPKT_S2_PS0_i", 4, 64, d, d.clone(), sum, 500);
    assertArrayEquals(Arrays.stream(d).map(v -> v + v).toArray(), sum);
    long[] l = new Random(4).longs(300).toArray();
    long[] longs = new long[300];
    cuda.run("_Z9vectorAddIxEvPKT_S2_PS0_i", 1, 32, l, l.clone(), longs, 300);
    assertArrayEquals(Arrays.stream(l).map(v -> v + v).toArray(), longs);
  }

  @Test
  void reductionsByShufflesAndByTrees() {
    int[] in = new Random(5).ints(5000).toArray();
    int[] out = new int[1];
    cuda.run("sumByShuffles", 4, 256, in, out, in.length);
    assertEquals(IntStream.of(in).sum(), out[0]);
    double[] values = new Random(6).ints(512, 0, 1000).asDoubleStream().toArray();
    double[] sums = new double[4];
    cuda.run("sumByTree", Dim3.of(4), Dim3.of(128), 1024, values, sums);
    for (int b = 0; b < 4; b++) assertEquals(Arrays.stream(values, 128 * b, 128 * b + 128).sum(), sums[b]);
  }

  @Test
  void cooperativeGroups() {
    int[] in = new Random(7).ints(64, 0, 1000).toArray();
    int[] out = new int[64];
    cuda.run("groups", 1, 64, in, out);
    for (int t = 0; t < 64; t++) {
      var tile = IntStream.range(t / 8 * 8, t / 8 * 8 + 8).map(i -> in[i]).toArray();
      long votes = IntStream.of(tile).filter(v -> v > 500).count();
      assertEquals(IntStream.of(tile).sum() * 10000 + votes * 100 + 4, out[t]);
    }
  }

  @Test
  void layerNormalization() {
    int n = 200;
    float[] x = floats(3 * n, 8);
    float[] gain = floats(n, 9);
    float[] bias = floats(n, 10);
    float[] y = new float[3 * n];
    cuda.run("layerNorm", 3, 64, x, gain, bias, y, n);
    for (int r = 0; r < 3; r++) {
      int from = r * n;
      double mean = IntStream.range(0, n).mapToDouble(i -> x[from + i]).average().orElseThrow();
      double variance = IntStream.range(0, n).mapToDouble(i -> (x[from + i] - mean) * (x[from + i] - mean)).average()
          .orElseThrow();
      for (int i = 0; i < n; i++) {
        assertEquals((x[from + i] - mean) / Math.sqrt(variance + 1e-5) * gain[i] + bias[i], y[from + i], 1e-5);
      }
    }
  }

  @Test
  void transpositionThroughSharedMemory() {
    float[] in = floats(70 * 45, 11);
    float[] out = new float[in.length];
    cuda.run("transpose", new Dim3(2, 3, 1), new Dim3(32, 8, 1), 0, in, out, 70, 45);
    for (int i = 0; i < in.length; i++) assertEquals(in[i], out[i % 45 * 70 + i / 45]);
  }

  @Test
  void tiledMatrixMultiplication() {
    int m = 37;
    int n = 50;
    int k = 41;
    float[] a = floats(m * k, 12);
    float[] b = floats(k * n, 13);
    float[] c = new float[m * n];
    cuda.run("sgemm", new Dim3(4, 3, 1), new Dim3(16, 16, 1), 0, a, b, c, m, n, k);
    for (int i = 0; i < m * n; i++) {
      float sum = 0;
      for (int d = 0; d < k; d++) sum = Math.fma(a[i / n * k + d], b[d * n + i % n], sum);
      assertEquals(sum, c[i]);
    }
  }

  @Test
  void scansAndSorts() {
    int[] data = new Random(14).ints(256, 0, 100).toArray();
    int[] want = new int[256];
    for (int i = 1; i < 256; i++) want[i] = want[i - 1] + data[i - 1];
    cuda.run("scan", Dim3.ONE, Dim3.of(128), 1024, data, 256);
    assertArrayEquals(want, data);
    int[] keys = new Random(15).ints(512).toArray();
    int[] sorted = IntStream.of(keys).boxed().sorted(Integer::compareUnsigned).mapToInt(i -> i).toArray();
    cuda.run("bitonicSort", Dim3.ONE, Dim3.of(128), 2048, keys, 512);
    assertArrayEquals(sorted, keys);
  }

  @Test
  void blurWithConstantTaps() {
    int width = 33;
    int height = 21;
    byte[] in = new byte[width * height];
    new Random(16).nextBytes(in);
    byte[] out = new byte[in.length];
    cuda.run("blur", new Dim3(3, 3, 1), new Dim3(16, 8, 1), 0, in, out, width, height);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        double sum = 0.5;
        for (int dy = -1; dy <= 1; dy++) {
          for (int dx = -1; dx <= 1; dx++) {
            int p = Math.clamp(y + dy, 0, height - 1) * width + Math.clamp(x + dx, 0, width - 1);
            sum += (in[p] & 0xFF) / 4.0 / (1 << Math.abs(dx)) / (1 << Math.abs(dy));
          }
        }
        assertEquals((byte) (int) sum, out[y * width + x]);
      }
    }
  }

  @Test
  void stencilWithHalo() {
    double[] in = doubles(300, 17);
    double[] out = new double[300];
    cuda.run("heat", 5, 64, in, out, 300);
    for (int i = 0; i < 300; i++) {
      double left = i > 0 ? in[i - 1] : 0;
      double right = i < 299 ? in[i + 1] : 0;
      assertEquals(Math.fma(0.25, Math.fma(-2, in[i], left) + right, in[i]), out[i]);
    }
  }

  @Test
  void sparseMatrixTimesVector() {
    int rows = 12;
    var random = new Random(18);
    int[] starts = new int[rows + 1];
    for (int r = 0; r < rows; r++) starts[r + 1] = starts[r] + random.nextInt(90);
    int[] columns = random.ints(starts[rows], 0, 100).toArray();
    double[] values = random.ints(starts[rows], -20, 20).asDoubleStream().toArray();
    double[] x = random.ints(100, -20, 20).asDoubleStream().toArray();
    double[] y = new double[rows];
    cuda.run("spmv", 3, 128, starts, columns, values, x, y);
    for (int r = 0; r < rows; r++) {
      assertEquals(IntStream.range(starts[r], starts[r + 1]).mapToDouble(i -> values[i] * x[columns[i]]).sum(), y[r]);
    }
  }

  @Test
  void everyAtomicOperation() {
    int[] out = {0, 0, 0, 0, -1, 0, 0, 5, 5, 0, 0};
    long[] wide = new long[2];
    float[] f = new float[1];
    double[] d = new double[1];
    cuda.run("atomics", 2, 50, out, wide, f, d);
    int xor = IntStream.range(0, 100).reduce(0, (a, b) -> a ^ b);
    assertArrayEquals(new int[] {4950, -4950, -50, 99, ~127, -1 >>> 1, xor, 105 % 21, 10, 100, 77}, out);
    assertArrayEquals(new long[] {100L << 33, 99L << 32}, wide);
    assertEquals(50f, f[0]);
    assertEquals(12.5, d[0]);
  }

  @Test
  void lanesThatWaitForEachOthersLock() {
    int[] mutex = new int[1];
    int[] counter = new int[1];
    cuda.run("lock", 3, 64, mutex, counter);
    assertEquals(192, counter[0]);
  }

  private static int bytes(int a, int b, IntBinaryOperator f, int width) {
    int result = 0;
    for (int shift = 0; shift < 32; shift += width) {
      int mask = (1 << width) - 1;
      result |= (f.applyAsInt(a >>> shift & mask, b >>> shift & mask) & mask) << shift;
    }
    return result;
  }

  /** The intrinsics as the CUDA Math API defines them. */
  private static int intrinsics(int x, int y) {
    long selected = Integer.toUnsignedLong(x) | Integer.toUnsignedLong(y) << 32;
    int permuted = 0;
    for (int k = 0; k < 4; k++) permuted |= (int) (selected >>> 8 * (0x5140 >>> 4 * k & 7) & 0xFF) << 8 * k;
    int r = Integer.bitCount(x) + Integer.numberOfLeadingZeros(y) + (x == 0 ? 0 : Integer.numberOfTrailingZeros(x) + 1)
        + Integer.reverse(x) + permuted;
    r ^= (int) ((Integer.toUnsignedLong(y) << 32 | Integer.toUnsignedLong(x)) << (x & 31) >>> 32)
        ^ (int) (Integer.toUnsignedLong(x) * Integer.toUnsignedLong(y) >>> 32) ^ bytes(x, y, Integer::sum, 8)
        ^ bytes(x, y, (a, b) -> Math.abs(a - b), 8) ^ bytes(x, y, (a, b) -> (short) a > (short) b ? -1 : 0, 16);
    int dot = r;
    for (int shift = 0; shift < 32; shift += 8) dot += (byte) (x >>> shift) * (byte) (y >>> shift);
    int sad = r + (int) Math.abs((long) x - y);
    int usad = 1 + (int) Math.abs(Integer.toUnsignedLong(x) - Integer.toUnsignedLong(y));
    int half = (int) (Integer.toUnsignedLong(x) + Integer.toUnsignedLong(y) >>> 1);
    return r + dot + sad + usad + half + (x << 8 >> 8) * (y << 8 >> 8);
  }

  @Test
  void bitAndByteIntrinsics() {
    int[] a = new Random(19).ints(256).toArray();
    int[] b = new Random(20).ints(256).toArray();
    int[] out = new int[256];
    cuda.run("bits", 1, 256, a, b, out);
    for (int i = 0; i < 256; i++) assertEquals(intrinsics(a[i], b[i]), out[i]);
  }

  @Test
  void doublePrecisionFunctions() {
    double[] in = doubles(128, 21);
    double[] out = new double[128];
    cuda.run("doubles", 1, 128, in, out);
    for (int i = 0; i < 128; i++) {
      double x = in[i];
      double want = Math.sqrt(Math.abs(x)) / (1 + x * x) + Math.floor(x) - Math.rint(x) + x % 3 + x / 7 + Math.cbrt(x);
      assertEquals(want, out[i], 1e-14);
    }
  }
}
