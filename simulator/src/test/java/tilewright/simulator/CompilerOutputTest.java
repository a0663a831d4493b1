package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/** PTX that nvcc made from ordinary CUDA C++ (programs.cu) against the same computation in Java. */
class CompilerOutputTest {
  private static String ptx;
  private static Program program;

  @BeforeAll
  static void load() throws IOException {
    try (var in = CompilerOutputTest.class.getResourceAsStream("programs.ptx")) {
      ptx = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    program = Simulator.load(ptx);
  }

  private static void run(String entry, int grid, int block, MemorySegment in, MemorySegment out,
      List<Launch.Argument> arguments) {
    var launch = new Launch(ptx, entry, Dim3.of(grid), Dim3.of(block), Dim3.ONE, 0, Map.of("in", in, "out", out),
        arguments);
    assertEquals(List.of(), program.run(launch, Kernels.SANITIZED).findings());
  }

  private static List<Launch.Argument> inOut(int n) {
    return List.of(new Launch.Argument.Buffer("in"), new Launch.Argument.Buffer("out"), Launch.Argument.u32(n));
  }

  @Test
  void softmaxOfRows() {
    int rows = 3;
    int n = 333;
    var random = new Random(1);
    float[] x = new float[rows * n];
    for (int i = 0; i < x.length; i++) x[i] = (float) random.nextGaussian() * 4;
    float[] y = new float[x.length];
    run("softmax", rows, 96, MemorySegment.ofArray(x), MemorySegment.ofArray(y), inOut(n));
    for (int r = 0; r < rows; r++) {
      int from = r * n;
      double largest = IntStream.range(from, from + n).mapToDouble(i -> x[i]).max().orElseThrow();
      double sum = IntStream.range(from, from + n).mapToDouble(i -> Math.exp(x[i] - largest)).sum();
      for (int i = from; i < from + n; i++) assertEquals(Math.exp(x[i] - largest) / sum, y[i], 1e-6 * y[i] + 1e-12);
    }
  }

  @Test
  void histogramOfBytes() {
    byte[] data = new byte[20_000];
    new Random(2).nextBytes(data);
    int[] want = new int[256];
    for (byte b : data) want[b & 0xFF]++;
    int[] got = new int[256];
    run("histogram", 5, 128, MemorySegment.ofArray(data), MemorySegment.ofArray(got), inOut(data.length));
    assertArrayEquals(want, got);
  }

  @Test
  void prefixSums() {
    int[] in = new Random(3).ints(512, 0, 1000).toArray();
    int[] out = new int[512];
    run("scan", 1, 512, MemorySegment.ofArray(in), MemorySegment.ofArray(out),
        List.of(new Launch.Argument.Buffer("in"), new Launch.Argument.Buffer("out")));
    java.util.Arrays.parallelPrefix(in, Integer::sum);
    assertArrayEquals(in, out);
  }

  private static int branch(int v) {
    int changed = switch (v & 7) {
      case 0 -> v + 1;
      case 1 -> v * 3;
      case 2 -> v - 7;
      case 3 -> v ^ 0x55;
      case 4 -> v / 3;
      case 5 -> v % 11;
      case 6 -> ~v;
      default -> -v;
    };
    return changed + v * (v >> 3 & 7);
  }

  @Test
  void switchesAndLocalArrays() {
    int[] in = new Random(4).ints(1000).toArray();
    int[] out = new int[1000];
    run("branches", 8, 128, MemorySegment.ofArray(in), MemorySegment.ofArray(out), inOut(1000));
    assertArrayEquals(IntStream.of(in).map(CompilerOutputTest::branch).toArray(), out);
  }

  private static int horner(int x, int n) {
    if (n > 5) return x;
    int s = 0;
    for (int k = 0; k < n; k++) s = s * x + k;
    return s;
  }

  @Test
  void functionCallsWithStructResults() {
    int[] out = new int[64];
    run("calls", 1, 64, MemorySegment.ofArray(new int[1]), MemorySegment.ofArray(out),
        List.of(new Launch.Argument.Buffer("out")));
    assertArrayEquals(IntStream.range(0, 64).map(t -> horner(t, t % 10) + horner(t, 3) * horner(t, 7)).toArray(), out);
  }

  @Test
  void sixtyFourBitArithmetic() {
    long[] in = new Random(5).longs(64).toArray();
    long[] out = new long[64];
    run("words", 1, 64, MemorySegment.ofArray(in), MemorySegment.ofArray(out),
        List.of(new Launch.Argument.Buffer("in"), new Launch.Argument.Buffer("out")));
    assertArrayEquals(LongStream.of(in).map(v -> Long.divideUnsigned(v, 7) + Long.remainderUnsigned(v, 13)
        + Long.numberOfLeadingZeros(v) + Long.bitCount(v) + Long.reverse(v) + Math.unsignedMultiplyHigh(v, v))
            .toArray(), out);
  }
}
