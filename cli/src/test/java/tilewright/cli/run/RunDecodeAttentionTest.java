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
import tilewright.numerics.ElementType;

/** One query of each head on a cache of e4m3 codes beside its definition. */
class RunDecodeAttentionTest {
  private static final int KEYS = 70;
  private static final int HEADS = 4;
  private static final int KEY_HEADS = 2;
  private static final int DIM = 64;
  private static final float[] FACTORS_OF_KEYS = {0.5f, 0.25f};
  private static final float[] FACTORS_OF_VALUES = {0.125f, 2};
  /** Roundings of P and of O, as a part of the largest value. */
  private static final double TOLERANCE = 2e-3;
  /** Magnitudes up to 3.75. */
  private static final int SMALL_CODES = 0xC7;

  @TempDir
  Path folder;

  private final float[] q = new float[HEADS * DIM];
  private final byte[] k = new byte[KEYS * KEY_HEADS * DIM];
  private final byte[] v = new byte[KEYS * KEY_HEADS * DIM];

  @BeforeEach
  void files() throws IOException {
    var random = new Random(7);
    for (int i = 0; i < q.length; i++) {
      q[i] = Float.float16ToFloat(Float.floatToFloat16((float) random.nextGaussian()));
    }
    for (var codes : new byte[][] {k, v}) {
      random.nextBytes(codes);
      for (int i = 0; i < codes.length; i++) codes[i] &= (byte) SMALL_CODES;
    }
    var data = ByteBuffer.allocate(2 * q.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : q) data.putShort(Float.floatToFloat16(number));
    save("q.npy", "<f2", "1, 1, " + HEADS + ", " + DIM, data.array());
    save("k.npy", "|u1", "1, " + KEYS + ", " + KEY_HEADS + ", " + DIM, k);
    save("v.npy", "|u1", "1, " + KEYS + ", " + KEY_HEADS + ", " + DIM, v);
    factors("descale-k.npy", FACTORS_OF_KEYS);
    factors("descale-v.npy", FACTORS_OF_VALUES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "2"})
  void codesStandForThemselvesTimesTheirFactors(String splits) throws IOException {
    var run = run("--kv-dtype", "e4m3", "--descale-k", path("descale-k.npy"), "--descale-v", path("descale-v.npy"),
        "--splits", splits);
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("in f16 by sm80_decode_attention on sim"), run.out());
    var o = Files.readAllBytes(folder.resolve("o.npy"));
    var ours = ByteBuffer.wrap(o).order(ByteOrder.LITTLE_ENDIAN).position(o.length - 2 * q.length);
    for (int head = 0; head < HEADS; head++) {
      var expected = row(head);
      for (int d = 0; d < DIM; d++) {
        assertEquals(expected[d], Float.float16ToFloat(ours.getShort()),
            TOLERANCE * 4 * FACTORS_OF_VALUES[head * KEY_HEADS / HEADS], "head " + head + ", column " + d);
      }
    }
  }

  private double[] row(int head) {
    return row(head, (_, of) -> FACTORS_OF_KEYS[of], (_, of) -> FACTORS_OF_VALUES[of]);
  }

  /** @param ofK factor of a key and head of keys; likewise {@code ofV} */
  private double[] row(int head, OfToken ofK, OfToken ofV) {
    int ofKeys = head * KEY_HEADS / HEADS;
    var sums = new double[DIM];
    double all = 0;
    for (int key = 0; key < KEYS; key++) {
      int at = (key * KEY_HEADS + ofKeys) * DIM;
      double score = 0;
      for (int d = 0; d < DIM; d++) score += q[head * DIM + d] * number(k[at + d]) * ofK.of(key, ofKeys);
      double weight = Math.exp(score / Math.sqrt(DIM));
      all += weight;
      for (int d = 0; d < DIM; d++) sums[d] += weight * number(v[at + d]) * ofV.of(key, ofKeys);
    }
    for (int d = 0; d < DIM; d++) sums[d] /= all;
    return sums;
  }

  private interface OfToken {
    float of(int key, int head);
  }

  /** Factors lie as K's file does: of a bhsd file, those of a head are neighbours. */
  @ParameterizedTest
  @ValueSource(strings = {"bshd", "bhsd"})
  void tokensHaveFactorsOfTheirOwn(String layout) throws IOException {
    boolean heads = layout.equals("bhsd");
    OfToken place = (key, head) -> heads ? head * KEYS + key : key * KEY_HEADS + head;
    factorsOfTokens("k-tokens.npy", heads, place, 0.5f);
    factorsOfTokens("v-tokens.npy", heads, place, 2);
    if (heads) {
      for (var name : new String[] {"k", "v"}) {
        var codes = name.equals("k") ? k : v;
        var turned = new byte[codes.length];
        for (int row = 0; row < KEYS * KEY_HEADS; row++) {
          System.arraycopy(codes, row * DIM, turned, (int) place.of(row / KEY_HEADS, row % KEY_HEADS) * DIM, DIM);
        }
        save(name + ".npy", "|u1", "1, " + KEY_HEADS + ", " + KEYS + ", " + DIM, turned);
      }
      save("q.npy", "<f2", "1, " + HEADS + ", 1, " + DIM, Arrays.copyOfRange(Files.readAllBytes(
          folder.resolve("q.npy")), (int) Files.size(folder.resolve("q.npy")) - 2 * q.length,
          (int) Files.size(folder.resolve("q.npy"))));
    }
    var run = run("--layout", layout, "--kv-dtype", "e4m3", "--scales", "token", "--descale-k", path("k-tokens.npy"),
        "--descale-v", path("v-tokens.npy"));
    assertEquals(0, run.exitCode(), run.err());
    var o = Files.readAllBytes(folder.resolve("o.npy"));
    var ours = ByteBuffer.wrap(o).order(ByteOrder.LITTLE_ENDIAN).position(o.length - 2 * q.length);
    for (int head = 0; head < HEADS; head++) {
      var expected = row(head, (key, of) -> factor(key, of, 0.5f), (key, of) -> factor(key, of, 2));
      for (int d = 0; d < DIM; d++) {
        assertEquals(expected[d], Float.float16ToFloat(ours.getShort()), 2 * TOLERANCE * 4, head + ", " + d);
      }
    }
  }

  private static float factor(int key, int head, float largest) {
    return largest * (1 + (key * 7 + head * 3) % 11) / 11;
  }

  private void factorsOfTokens(String name, boolean heads, OfToken place, float largest) throws IOException {
    var data = ByteBuffer.allocate(4 * KEYS * KEY_HEADS).order(ByteOrder.LITTLE_ENDIAN);
    for (int key = 0; key < KEYS; key++) {
      for (int head = 0; head < KEY_HEADS; head++) {
        data.putFloat(4 * (int) place.of(key, head), factor(key, head, largest));
      }
    }
    save(name, "<f4", heads ? "1, " + KEY_HEADS + ", " + KEYS : "1, " + KEYS + ", " + KEY_HEADS, data.array());
  }

  @Test
  void factorsOfTokensThatDoNotFitAreRefused() throws IOException {
    OfToken place = (key, head) -> key * KEY_HEADS + head;
    factorsOfTokens("fine.npy", false, place, 0.5f);
    factorsOfTokens("large.npy", false, place, 1000);
    assertRefused("--scales token needs --descale-v", "--kv-dtype", "e4m3", "--scales", "token", "--descale-k",
        path("fine.npy"));
    assertRefused("has 1×2 elements of f32; needed for descaleK are 1×70×2 of f32", "--kv-dtype", "e4m3", "--scales",
        "token", "--descale-k", path("descale-k.npy"), "--descale-v", path("fine.npy"));
    assertRefused("of V of batch entry 0, key 0, head 1: needed is 2^-20 to 2^7", "--kv-dtype", "e4m3", "--scales",
        "token", "--descale-k", path("fine.npy"), "--descale-v", path("large.npy"));
    assertRefused("invalid --scales block:4 with --kv-dtype e4m3: tensor, head or token", "--kv-dtype", "e4m3",
        "--scales", "block:4");
    assertRefused("token goes with --kv-dtype e4m3", "--dtype", "e4m3", "--scales", "token", "--k", path("q.npy"),
        "--v", path("q.npy"));
  }

  private static double number(byte code) {
    return ElementType.E4M3.toDouble(code & 0xFF);
  }

  @Test
  void whatDoesNotGoWithACacheOfCodesIsRefused() {
    assertRefused("invalid --kv-dtype e5m2: e4m3", "--kv-dtype", "e5m2");
    assertRefused("--kv-dtype e4m3 is for Q of 16 bits, but Q is e4m3", "--kv-dtype", "e4m3", "--dtype", "e4m3");
    assertRefused("only with --dtype e4m3: --descale-q", "--kv-dtype", "e4m3", "--descale-q", path("descale-k.npy"));
    assertRefused("needs sm80_decode_attention", "--kv-dtype", "e4m3", "--kernel", "sm90_attention");
    assertRefused("take a multiple of 64", "--kv-dtype", "e4m3", "--splits", "10-keys");
    assertRefused("has f16; needed for --kv-dtype e4m3 are codes", "--kv-dtype", "e4m3", "--k", path("q.npy"),
        "--v", path("q.npy"));
  }

  private void assertRefused(String reason, String... options) {
    var run = run(options);
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(reason), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertFalse(Files.exists(folder.resolve("o.npy")));
  }

  private Cli run(String... options) {
    var given = Stream.of(options).toList();
    var files = Stream.of("q", "k", "v").filter(name -> !given.contains("--" + name))
        .flatMap(name -> Stream.of("--" + name, path(name + ".npy")));
    return Cli.run(Stream.of(Stream.of("run", "attention", "--out", path("o.npy")), files, given.stream())
        .flatMap(part -> part).toArray(String[]::new));
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private void factors(String name, float[] numbers) throws IOException {
    var data = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : numbers) data.putFloat(number);
    save(name, "<f4", "1, " + numbers.length, data.array());
  }

  private void save(String name, String type, String extents, byte[] data) throws IOException {
    Files.write(folder.resolve(name), Npy.file(1, Npy.header(type, false, "(" + extents + ")"), data));
  }
}
