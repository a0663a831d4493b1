package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** Attention on caches of pages beside its definition on the keys that the table gathers; all other rows are NaN. */
class RunPagedAttentionTest {
  private static final int BATCH = 2;
  private static final int HEADS = 4;
  private static final int KEY_HEADS = 2;
  private static final int DIM = 64;
  private static final int PAGES = 5;
  private static final int ROWS = 16;
  /** Pages of each entry in any order; entry 1 uses the first of its numbers only. */
  private static final int[] TABLE = {3, 0, 2, 4, 77, -1};
  private static final int[] USED = {41, 9};
  /** A rounding of P and of O, which is below 4. */
  private static final double TOLERANCE = 4e-3;

  @TempDir
  Path folder;

  private final float[] q = new float[BATCH * HEADS * DIM];
  private final float[] k = new float[PAGES * ROWS * KEY_HEADS * DIM];
  private final float[] v = new float[PAGES * ROWS * KEY_HEADS * DIM];

  @BeforeEach
  void files() throws IOException {
    var random = new Random(5);
    for (var numbers : new float[][] {q, k, v}) {
      for (int i = 0; i < numbers.length; i++) numbers[i] = half((float) random.nextGaussian());
    }
    for (int page = 0; page < PAGES; page++) {
      for (int row = 0; row < ROWS; row++) if (!isUsed(page, row)) spoil(page * ROWS + row);
    }
    halves("q.npy", q, BATCH + ", 1, " + HEADS);
    halves("k.npy", k, PAGES + ", " + ROWS + ", " + KEY_HEADS);
    halves("v.npy", v, PAGES + ", " + ROWS + ", " + KEY_HEADS);
    integers("table.npy", BATCH + ", 3", TABLE);
    integers("used.npy", BATCH + ",", USED);
  }

  private static boolean isUsed(int page, int row) {
    for (int entry = 0; entry < BATCH; entry++) {
      for (int i = 0; i < 3; i++) if (TABLE[entry * 3 + i] == page && i * ROWS + row < USED[entry]) return true;
    }
    return false;
  }

  private void spoil(int row) {
    for (int i = 0; i < KEY_HEADS * DIM; i++) {
      k[row * KEY_HEADS * DIM + i] = Float.NaN;
      v[row * KEY_HEADS * DIM + i] = Float.NaN;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "2"})
  void keysAreFoundByTheTable(String splits) throws IOException {
    var run = run("--pages", path("table.npy"), "--used", path("used.npy"), "--splits", splits);
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("by sm90_attention on sim"), run.out());
    for (int entry = 0; entry < BATCH; entry++) {
      for (int head = 0; head < HEADS; head++) check(entry, head);
    }
  }

  private void check(int entry, int head) throws IOException {
    var expected = new double[DIM];
    double sum = 0;
    for (int key = 0; key < USED[entry]; key++) {
      int row = TABLE[entry * 3 + key / ROWS] * ROWS + key % ROWS;
      int at = (row * KEY_HEADS + head / (HEADS / KEY_HEADS)) * DIM;
      double score = 0;
      for (int d = 0; d < DIM; d++) score += q[(entry * HEADS + head) * DIM + d] * k[at + d];
      double weight = Math.exp(score / Math.sqrt(DIM));
      sum += weight;
      for (int d = 0; d < DIM; d++) expected[d] += weight * v[at + d];
    }
    var o = Files.readAllBytes(folder.resolve("o.npy"));
    var ours = ByteBuffer.wrap(o).order(ByteOrder.LITTLE_ENDIAN).position(o.length - 2 * q.length).slice()
        .order(ByteOrder.LITTLE_ENDIAN);
    for (int d = 0; d < DIM; d++) {
      assertEquals(expected[d] / sum, Float.float16ToFloat(ours.getShort(2 * ((entry * HEADS + head) * DIM + d))),
          TOLERANCE);
    }
  }

  @Test
  void withoutLengthsEveryNumberOfTheTableIsRead() throws IOException {
    assertRefused("table.npy: invalid page 77 of batch entry 1 at place 1 of pageTable: 0 to 4", "--pages",
        path("table.npy"));
    integers("table.npy", BATCH + ", 3", new int[] {3, 0, 2, -2, 0, 1});
    assertRefused("invalid page -2 of batch entry 1 at place 0", "--pages", path("table.npy"), "--used",
        path("used.npy"));
  }

  @Test
  void tablesThatDoNotFitAreRefused() throws IOException {
    integers("used.npy", BATCH + ",", new int[] {49, 9});
    assertRefused("used.npy: has 49 keys for batch entry 0: needed are 0 to 48", "--pages", path("table.npy"), "--used",
        path("used.npy"));
    assertRefused("used.npy: has 2 elements of <i4: needed are two modes of i4 in C order", "--pages",
        path("used.npy"));
    assertRefused("elements of <f2: needed are two modes of i4", "--pages", path("k.npy"));
    integers("table.npy", "3, 2", TABLE);
    assertRefused("has 3 rows: needed is one for each of 2 batch entries", "--pages", path("table.npy"));
    assertRefused("no such file", "--pages", path("none.npy"));
    integers("table.npy", "0, 1099511627776");
    assertRefused("needed are two modes of i4", "--pages", path("table.npy"));
  }

  @Test
  void whatPagesDoNotGoWithIsRefused() throws IOException {
    integers("table.npy", BATCH + ", 2", 3, 0, 2, 4);
    assertRefused("need sm90_attention", "--pages", path("table.npy"), "--kernel", "sm80_attention");
    assertRefused("--pages does not go with numbers that are quantised", "--pages", path("table.npy"), "--dtype",
        "e4m3");
    integers("cu.npy", "2,", 0, 1);
    assertRefused("", "--pages", path("table.npy"), "--varlen", path("cu.npy"));
    halves("k.npy", k, PAGES + ", " + KEY_HEADS + ", " + ROWS);
    halves("v.npy", v, PAGES + ", " + KEY_HEADS + ", " + ROWS);
    halves("q.npy", q, BATCH + ", " + HEADS + ", 1");
    assertRefused("lay them one after the other", "--pages", path("table.npy"), "--layout", "bhsd", "--kernel",
        "sm90_attention");
  }

  private void assertRefused(String reason, String... options) {
    var run = run(options);
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(reason), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertFalse(Files.exists(folder.resolve("o.npy")));
  }

  private Cli run(String... options) {
    var files = Stream.of("run", "attention", "--q", path("q.npy"), "--k", path("k.npy"), "--v", path("v.npy"), "--out",
        path("o.npy"));
    return Cli.run(Stream.concat(files, Stream.of(options)).toArray(String[]::new));
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static float half(float number) {
    return Float.float16ToFloat(Float.floatToFloat16(number));
  }

  private void halves(String name, float[] numbers, String extents) throws IOException {
    var data = ByteBuffer.allocate(2 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : numbers) data.putShort(Float.floatToFloat16(number));
    Files.write(folder.resolve(name), Npy.file(1, Npy.header("<f2", false, "(" + extents + ", " + DIM + ")"),
        data.array()));
  }

  private void integers(String name, String extents, int... numbers) throws IOException {
    var data = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int number : numbers) data.putInt(number);
    Files.write(folder.resolve(name), Npy.file(1, Npy.header("<i4", false, "(" + extents + ")"), data.array()));
  }
}
