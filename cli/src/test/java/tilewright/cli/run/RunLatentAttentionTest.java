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
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;

/** Latent attention on chosen tokens beside its definition: all rows that no query has chosen are NaN. */
class RunLatentAttentionTest {
  private static final int QUERIES = 2;
  private static final int HEADS = 4;
  private static final int DIM = 192;
  private static final int VALUE_DIM = 128;
  private static final int PAGES = 3;
  private static final int ROWS = 16;
  private static final int[][] TOKENS = {{5, -1, 40, 5, 47}, {-1, -1, 0, -1, -1}};
  /** A rounding of P and of O, which is below 4. */
  private static final double TOLERANCE = 4e-3;

  @TempDir
  Path folder;

  private final float[] q = new float[QUERIES * HEADS * DIM];
  private final float[] k = new float[PAGES * ROWS * DIM];

  @BeforeEach
  void files() throws IOException {
    var random = new Random(5);
    for (var numbers : new float[][] {q, k}) {
      for (int i = 0; i < numbers.length; i++) numbers[i] = half((float) random.nextGaussian());
    }
    for (int row = 0; row < PAGES * ROWS; row++) {
      int token = row;
      boolean chosen = Arrays.stream(TOKENS).flatMapToInt(Arrays::stream).anyMatch(t -> t == token);
      if (!chosen) Arrays.fill(k, row * DIM, (row + 1) * DIM, Float.NaN);
    }
    halves("q.npy", q, "1, " + QUERIES + ", " + HEADS + ", " + DIM);
    halves("k.npy", k, PAGES + ", " + ROWS + ", 1, " + DIM);
    tokens(TOKENS[0]);
  }

  private void tokens(int... ofFirst) throws IOException {
    var bytes = ByteBuffer.allocate(4 * QUERIES * ofFirst.length).order(ByteOrder.LITTLE_ENDIAN);
    for (var all : new int[][] {ofFirst, TOKENS[1]}) Arrays.stream(all).forEach(bytes::putInt);
    Files.write(folder.resolve("tokens.npy"), Npy.file(1, Npy.header("<i4", false, "(1, " + QUERIES + ", "
        + ofFirst.length + ")"), bytes.array()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm90_mla_decode", "sm80_mla_decode"})
  void eachQuerySeesItsTokens(String kernel) throws IOException {
    var options = Stream.of("--latent", "" + VALUE_DIM, "--indices", path("tokens.npy"), "--lse", path("lse.npy"));
    // Hopper's is that of chosen tokens on the simulator.
    var named = kernel.equals("sm80_mla_decode") ? Stream.of("--kernel", kernel) : Stream.<String>of();
    var run = run(Stream.concat(options, named).toArray(String[]::new));
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("by " + kernel + " on sim"), run.out());
    for (int query = 0; query < QUERIES; query++) {
      for (int head = 0; head < HEADS; head++) check(query, head);
    }
  }

  private void check(int query, int head) throws IOException {
    var expected = new double[VALUE_DIM];
    double sum = 0;
    for (int token : TOKENS[query]) {
      if (token < 0) continue;
      double score = 0;
      for (int d = 0; d < DIM; d++) score += q[(query * HEADS + head) * DIM + d] * k[token * DIM + d];
      double weight = Math.exp(score / Math.sqrt(DIM));
      sum += weight;
      for (int d = 0; d < VALUE_DIM; d++) expected[d] += weight * k[token * DIM + d];
    }
    var o = data("o.npy", 2 * QUERIES * HEADS * VALUE_DIM);
    for (int d = 0; d < VALUE_DIM; d++) {
      var ours = Float.float16ToFloat(o.getShort(2 * ((query * HEADS + head) * VALUE_DIM + d)));
      assertEquals(expected[d] / sum, ours, TOLERANCE, "query " + query + ", head " + head);
    }
    assertEquals(Math.log(sum), data("lse.npy", 4 * HEADS * QUERIES).getFloat(4 * (head * QUERIES + query)), 1e-4);
  }

  @Test
  void allKeysAreSeenWithoutTokens() throws IOException {
    Arrays.fill(k, 1);
    halves("k.npy", k, "1, " + PAGES * ROWS + ", 1, " + DIM);
    var run = run("--latent", "" + VALUE_DIM);
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("by sm80_mla_decode on sim"), run.out());
    assertEquals(1, Float.float16ToFloat(data("o.npy", 2 * QUERIES * HEADS * VALUE_DIM).getShort(0)), 1e-3);
  }

  @Test
  void whatDoesNotFitIsRefused() throws IOException {
    assertRefused("no V: give --v FILE, or with --latent N the columns of K that are V");
    assertRefused("--indices needs --latent N", "--v", path("k.npy"), "--indices", path("tokens.npy"));
    assertRefused("does not go with --v: leave it out", "--latent", "128", "--v", path("k.npy"));
    assertRefused("does not go with --gpus: leave it out", "--latent", "128", "--gpus", "2");
    assertRefused("has 1 heads of 192 columns: needed for --latent 193", "--latent", "193", "--indices",
        path("tokens.npy"));
    assertRefused("needed are three modes of i4 in C order", "--latent", "128", "--indices", path("q.npy"));
    assertRefused("leave unseen tokens out", "--latent", "128", "--indices", path("tokens.npy"), "--causal");
    assertRefused("tokens that queries choose need sm80_mla_decode or sm90_mla_decode", "--latent", "128", "--indices",
        path("tokens.npy"), "--kernel", "sm90_attention");
    tokens(5, 48, 0, 0, 0);
    assertRefused("tokens.npy: invalid token 48 of batch entry 0, query 0, at place 1: 0 to 47, or -1 for none",
        "--latent", "128", "--indices", path("tokens.npy"));
    halves("q.npy", q, QUERIES + ", 1, " + HEADS + ", " + DIM);
    assertRefused("has tokens of [1, 2, 5]: needed are [2, 1, 5]", "--latent", "128", "--indices",
        path("tokens.npy"));
  }

  private void assertRefused(String reason, String... options) {
    var run = run(options);
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(reason), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertFalse(Files.exists(folder.resolve("o.npy")));
  }

  private Cli run(String... options) {
    var files = Stream.of("run", "attention", "--q", path("q.npy"), "--k", path("k.npy"), "--out", path("o.npy"));
    return Cli.run(Stream.concat(files, Stream.of(options)).toArray(String[]::new));
  }

  private ByteBuffer data(String file, int bytes) throws IOException {
    var all = Files.readAllBytes(folder.resolve(file));
    return ByteBuffer.wrap(all, all.length - bytes, bytes).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static float half(float value) {
    return Float.float16ToFloat(Float.floatToFloat16(value));
  }

  private void halves(String file, float[] numbers, String shape) throws IOException {
    var bytes = ByteBuffer.allocate(2 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : numbers) bytes.putShort(Float.floatToFloat16(number));
    Files.write(folder.resolve(file), Npy.file(1, Npy.header("<f2", false, "(" + shape + ")"), bytes.array()));
  }

  private String path(String file) {
    return folder.resolve(file).toString();
  }
}
