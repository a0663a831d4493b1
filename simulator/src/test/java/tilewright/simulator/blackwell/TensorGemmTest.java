package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxType;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.L2Promotion;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.tensorcore.ExactDot;

/** Pipelined GEMM on one SM and on a pair, bit for bit by the definition of the sums, under several schedules. */
class TensorGemmTest {
  private static final int N = 64;

  private static String ptx(String name) throws IOException {
    try (var in = TensorGemmTest.class.getResourceAsStream(name + ".ptx")) {
      return Ptxas.checked(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private static short[] random(int count, long seed) {
    var random = new Random(seed);
    var values = new short[count];
    for (int i = 0; i < count; i++) {
      float value = (float) Math.scalb(random.nextGaussian(), random.nextInt(6) - 3);
      values[i] = (short) (Float.floatToRawIntBits(value) >>> 16);
    }
    return values;
  }

  static SimulationResult run(String name, short[] a, short[] b, int[] d, int ctas, int depth,
      SimulatorOptions options) throws IOException {
    return run(ptx(name), name, a, b, d, ctas, depth, options);
  }

  /** On one CTA, with zeros, and without the first of those pieces of text. */
  static SimulationResult runWithout(String name, String piece, SimulatorOptions options) throws IOException {
    var text = ptx(name);
    int at = text.indexOf(piece);
    if (at < 0) throw new AssertionError(name + " has no " + piece);
    var kept = piece.endsWith("mul.wide") ? "  mul.wide" : "";
    return run(text.substring(0, at) + kept + text.substring(at + piece.length()), name, new short[128 * 128],
        new short[64 * 128], new int[128 * 64], 1, 128, options);
  }

  private static SimulationResult run(String ptx, String name, short[] a, short[] b, int[] d, int ctas, int depth,
      SimulatorOptions options) {
    int cluster = name.endsWith("2sm") ? 2 : 1;
    var launch = new Launch(ptx, "k", Dim3.of(ctas), Dim3.of(128), Dim3.of(cluster), 1024 + 2 * 24576,
        Map.of("a", MemorySegment.ofArray(a), "b", MemorySegment.ofArray(b), "d", MemorySegment.ofArray(d)),
        List.of(new Launch.Argument.Buffer("a"), new Launch.Argument.Buffer("b"), new Launch.Argument.Buffer("d"),
            new Launch.Argument.Scalar(PtxType.U32, depth)));
    return Simulator.load(launch.ptx()).run(launch, options);
  }

  private static int[] row(short[] matrix, int row, int depth) {
    int[] values = new int[depth];
    for (int k = 0; k < depth; k++) values[k] = matrix[row * depth + k] & 0xFFFF;
    return values;
  }

  @ParameterizedTest
  @CsvSource({"gemm_1sm, 1, 256", "gemm_1sm, 2, 64", "gemm_2sm, 2, 192"})
  void everyOutputIsTheDefinition(String name, int ctas, int depth) throws IOException {
    int rows = 128 * ctas;
    var a = random(rows * depth, 1);
    var b = random(N * depth, 2);
    var d = new int[rows * N];
    assertEquals(List.of(), run(name, a, b, d, ctas, depth, Blackwell.PLAIN).findings());
    var dot = new ExactDot(25, 16, -133, 23);
    var bf16 = ExactDot.Format.of("bf16");
    for (int row = 0; row < rows; row++) {
      for (int n = 0; n < N; n++) {
        assertEquals(dot.sum(0, row(a, row, depth), bf16, row(b, n, depth), bf16), d[row * N + n], row + ", " + n);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"gemm_1sm, 2, 384", "gemm_2sm, 4, 320"})
  void everyScheduleGivesTheSame(String name, int ctas, int depth) throws IOException {
    var a = random(128 * ctas * depth, 3);
    var b = random(N * depth, 4);
    var first = new int[128 * ctas * N];
    run(name, a, b, first, ctas, depth, Blackwell.PLAIN);
    for (long seed = 1; seed < 12; seed++) {
      var d = new int[first.length];
      assertEquals(List.of(), run(name, a, b, d, ctas, depth, Blackwell.PLAIN.withSeed(seed)).findings());
      org.junit.jupiter.api.Assertions.assertArrayEquals(first, d, "seed " + seed);
    }
  }

  /** Small whole numbers, whose products have exact sums. */
  private static short[] whole(int count, long seed) {
    var random = new Random(seed);
    var values = new short[count];
    for (int i = 0; i < count; i++) values[i] = (short) (Float.floatToRawIntBits(random.nextInt(9) - 4) >>> 16);
    return values;
  }

  private static int number(short bf16) {
    return (int) Float.intBitsToFloat(bf16 << 16);
  }

  @ParameterizedTest
  @CsvSource({"64, 0", "448, 1", "448, 2"})
  void aWarpLoadsByTensorMapsForTheOneThatMultiplies(int depth, long seed) throws IOException {
    int side = 256;
    var a = whole(side * depth, seed);
    var b = whole(side * depth, seed + 9);
    var d = new float[side * side];
    var view = new TensorView(TensorElement.BF16, List.of((long) depth, (long) side), List.of(2L * depth),
        List.of(1, 1), Interleave.NONE, SwizzleMode.B128, L2Promotion.NONE, OutOfBoundsFill.ZERO);
    var map = new TensorMap.Tiled(view, List.of(64, 128));
    var launch = new Launch(ptx("gemm_2sm_tma"), "k", Dim3.of(2), Dim3.of(192), Dim3.of(2), 164864,
        Map.of("a", MemorySegment.ofArray(a), "b", MemorySegment.ofArray(b), "d", MemorySegment.ofArray(d)),
        List.of(new Launch.Argument.TensorMapOf(new Launch.Argument.Buffer("a"), map),
            new Launch.Argument.TensorMapOf(new Launch.Argument.Buffer("b"), map), new Launch.Argument.Buffer("d"),
            new Launch.Argument.Scalar(PtxType.U32, depth / 64)));
    var result = Simulator.load(launch.ptx()).run(launch, Blackwell.SANITIZED.withSeed(seed));
    assertEquals(List.of(), result.findings());
    for (int row = 0; row < side; row++) {
      for (int n = 0; n < side; n++) {
        int sum = 0;
        for (int k = 0; k < depth; k++) sum += number(a[row * depth + k]) * number(b[n * depth + k]);
        assertEquals(sum, d[row * side + n], row + ", " + n);
      }
    }
  }
}
