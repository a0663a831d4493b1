package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;

/** Matrices of small integers, which every format but for its factor holds exactly. */
class RunNarrowGemmTest {
  private static final int M = 5;
  private static final int N = 7;
  private static final int K = 55;
  private static final IntBinaryOperator A = (i, k) -> (3 * i + k) % 7 - 3;
  private static final IntBinaryOperator B = (j, k) -> (j + 2 * k) % 5 - 2;

  @TempDir
  Path folder;

  @ParameterizedTest
  @CsvSource({"mxf8, mxf8, 0", "mxf8_e5m2, mxf6, 0", "mxf6_e3m2, mxf8, 0", "mxf4, mxf4, 0", "nvf4, nvf4, 1e-4"})
  void quantizesAndMultipliesFiles(String format, String formatB, double error) throws IOException {
    write("a.npy", M, A);
    write("b.npy", N, B);
    var run = narrow("--a", path("a.npy"), "--b", path("b.npy"), "--format", format, "--format-b", formatB);
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertProduct(1, error);
  }

  @ParameterizedTest
  @CsvSource({"mxf8, mxf8_e5m2, 0", "mxf4, mxf4, 0", "nvf4, nvf4, 1e-4"})
  void multipliesByWarpsWhenTold(String format, String formatB, double error) throws IOException {
    write("a.npy", M, A);
    write("b.npy", N, B);
    var run = narrow("--a", path("a.npy"), "--b", path("b.npy"), "--format", format, "--format-b", formatB, "--kernel",
        "sm120");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertProduct(1, error);
    var refused = narrow("--a", path("a.npy"), "--b", path("b.npy"), "--format", "mxf6", "--kernel", "sm120");
    assertEquals(Exit.BAD_INPUT, refused.exitCode());
    assertTrue(refused.err().contains("e4m3 and e5m2 of MXF8F6F4, or e2m1"), refused.err());
  }

  @Test
  void appliesAnEpilogueToWhatTheFactorsMake() throws IOException {
    write("a.npy", M, (i, k) -> 12 * A.applyAsInt(i, k));
    write("b.npy", N, B);
    var run = narrow("--a", path("a.npy"), "--b", path("b.npy"), "--format", "nvf4", "--scales", "covering", "--alpha",
        "0.5", "--activation", "relu");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertProduct(6, 1e-3);
  }

  /** Entries of A of other magnitudes, so of other factors; B is one matrix for all. */
  @ParameterizedTest
  @CsvSource({"mxf8, 0", "nvf4, 1e-4"})
  void multipliesABatchByOneMatrix(String format, double error) throws IOException {
    int[] factors = {1, 16, 1024};
    var data = ByteBuffer.allocate(factors.length * M * K * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int factor : factors) {
      for (int n = 0; n < M * K; n++) data.putFloat(factor * A.applyAsInt(n / K, n % K));
    }
    Files.write(folder.resolve("a.npy"), Npy.file(1, Npy.header("<f4", false, "(3, " + M + ", " + K + ")"),
        data.array()));
    write("b.npy", N, B);
    var run = narrow("--a", path("a.npy"), "--b", path("b.npy"), "--format", format, "--scales", "covering");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains(M + "×" + N + "×" + K + ", batch of 3"), run.out());
    var c = product(factors.length * M * N);
    for (int factor : factors) {
      for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
          assertEquals(factor * sum(i, j), c.getFloat(), error * factor * Math.max(1, Math.abs(sum(i, j))),
              factor + "·C[" + i + "," + j + "]");
        }
      }
    }
  }

  @Test
  void refusesFormatsThatAreNotMultiplied() throws IOException {
    write("a.npy", M, A);
    write("b.npy", N, B);
    for (var wrong : List.of(List.of("nvf4", "mxf8", "are not multiplied"),
        List.of("mxf5", "mxf8", "no format is called mxf5: mxf8 or"))) {
      var run = narrow("--a", path("a.npy"), "--b", path("b.npy"), "--format", wrong.get(0), "--format-b",
          wrong.get(1));
      assertEquals(Exit.BAD_INPUT, run.exitCode());
      assertTrue(run.err().contains(wrong.get(2)), run.err());
      assertFalse(Files.exists(folder.resolve("c.npy")));
    }
  }

  private void assertProduct(int times, double error) throws IOException {
    var c = product(M * N);
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < N; j++) {
        double expected = times == 1 ? sum(i, j) : Math.max(0, times * sum(i, j));
        assertEquals(expected, c.getFloat(), error * Math.max(1, Math.abs(expected)), "C[" + i + "," + j + "]");
      }
    }
  }

  private static int sum(int i, int j) {
    int sum = 0;
    for (int k = 0; k < K; k++) sum += A.applyAsInt(i, k) * B.applyAsInt(j, k);
    return sum;
  }

  private ByteBuffer product(int count) throws IOException {
    var bytes = Files.readAllBytes(folder.resolve("c.npy"));
    return ByteBuffer.wrap(bytes, bytes.length - count * Float.BYTES, count * Float.BYTES).slice()
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  private Cli narrow(String... arguments) {
    return Cli.run(Stream.concat(Stream.of("run", "narrow-gemm", "--out", path("c.npy")), Arrays.stream(arguments))
        .toArray(String[]::new));
  }

  private void write(String name, int rows, IntBinaryOperator element) throws IOException {
    var data = ByteBuffer.allocate(rows * K * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int n = 0; n < rows * K; n++) data.putFloat(element.applyAsInt(n / K, n % K));
    var header = Npy.header("<f4", false, "(" + rows + ", " + K + ")");
    Files.write(folder.resolve(name), Npy.file(1, header, data.array()));
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }
}
