package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/** A tensor-core GEMM that nvcc compiled (gemm.cu): correct and clean as it is, and found out when it is broken. */
class GemmTest {
  private static final int STAGES = 3;
  private static final int STAGE_BYTES = 16384;
  private static String ptx;

  @BeforeAll
  static void read() throws IOException {
    try (var in = GemmTest.class.getResourceAsStream("gemm.ptx")) {
      ptx = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private record Problem(int m, int n, int k, short[] a, short[] b, float[] c) {
    static Problem random(int m, int n, int k) {
      var random = new Random(7);
      return new Problem(m, n, k, bf16(random, m * k), bf16(random, n * k), new float[m * n]);
    }

    private static short[] bf16(Random random, int n) {
      short[] out = new short[n];
      for (int i = 0; i < n; i++) out[i] = (short) (Float.floatToRawIntBits((float) random.nextGaussian()) >>> 16);
      return out;
    }

    SimulationResult run(String text, SimulatorOptions options) {
      var launch = new Launch(text, "gemm", Dim3.of(n / 128, m / 128), Dim3.of(256), Dim3.ONE, STAGES * STAGE_BYTES,
          Map.of("a", MemorySegment.ofArray(a), "b", MemorySegment.ofArray(b), "c", MemorySegment.ofArray(c)),
          List.of(new Launch.Argument.Buffer("a"), new Launch.Argument.Buffer("b"), new Launch.Argument.Buffer("c"),
          Launch.Argument.u32(m), Launch.Argument.u32(n), Launch.Argument.u32(k)));
      return Simulator.load(text).run(launch, options);
    }

    /** The largest error against sums in double, relative to the sum of magnitudes. */
    double error() {
      double worst = 0;
      for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
          double sum = 0;
          double magnitude = 0;
          for (int q = 0; q < k; q++) {
            double product =
                (double) Float.intBitsToFloat(a[i * k + q] << 16) * Float.intBitsToFloat(b[j * k + q] << 16);
            sum += product;
            magnitude += Math.abs(product);
          }
          worst = Math.max(worst, Math.abs(sum - c[i * n + j]) / magnitude);
        }
      }
      return worst;
    }
  }

  @Test
  void theKernelIsRightAndClean() {
    var problem = Problem.random(256, 128, 128);
    var result = problem.run(ptx, Kernels.SANITIZED);
    assertEquals(List.of(), result.findings());
    // One truncation to 24 bits for each eight products.
    assertTrue(problem.error() < 128 / 8 * 0x1p-23, "error " + problem.error());
    assertTrue(result.bankConflicts().stream().allMatch(c -> c.conflicts() == 0), result.bankConflicts().toString());
  }

  @Test
  void theResultDependsNeitherOnTheSeedNorOnThreads() {
    var first = Problem.random(256, 256, 96);
    var second = Problem.random(256, 256, 96);
    first.run(ptx, Kernels.PLAIN.withSeed(1).withThreads(1));
    second.run(ptx, Kernels.SANITIZED.withSeed(99).withThreads(2));
    assertTrue(java.util.Arrays.equals(first.c(), second.c()));
  }

  @Test
  void theResultDependsOnTheArchitecture() {
    var ampere = Problem.random(128, 128, 64);
    var hopper = Problem.random(128, 128, 64);
    ampere.run(ptx, Kernels.PLAIN);
    hopper.run(ptx, Kernels.PLAIN.withArchitecture(90));
    assertTrue(!java.util.Arrays.equals(ampere.c(), hopper.c()));
    assertTrue(hopper.error() < 64 / 8 * 0x1p-23);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, 4})
  void aMissingBarrierIsFound(long seed) {
    var broken = ptx.replaceFirst("bar.sync[^;]*;", "");
    assertNotEquals(ptx, broken);
    var kinds = Kernels.kinds(Problem.random(128, 128, 256).run(broken, Kernels.SANITIZED.withSeed(seed)));
    assertTrue(kinds.contains(Finding.Kind.RACE), kinds.toString());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, 4})
  void aWaitForOneGroupTooFewIsFound(long seed) {
    var broken = ptx.replace("cp.async.wait_group 1;", "cp.async.wait_group 2;");
    assertNotEquals(ptx, broken);
    var kinds = Kernels.kinds(Problem.random(128, 128, 256).run(broken, Kernels.SANITIZED.withSeed(seed)));
    assertTrue(kinds.contains(Finding.Kind.PENDING_COPY_READ), kinds.toString());
  }

  @Test
  void aCoordinateOneTooFarIsFoundEvenWithoutTheSanitizer() {
    var broken = ptx.replaceFirst("(mov.u32 \\s*)(%r\\d+), %ctaid.y;", "$1$2, %ctaid.y;\nadd.s32 $2, $2, 1;");
    assertNotEquals(ptx, broken);
    var findings = Problem.random(128, 128, 64).run(broken, Kernels.PLAIN).findings();
    assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS), findings.stream().map(Finding::kind).toList());
    assertTrue(findings.getFirst().message().contains("buffer 'a' of 16384 bytes"), findings.toString());
    assertTrue(findings.getFirst().source().startsWith("gemm.cu:"), findings.toString());
  }
}
