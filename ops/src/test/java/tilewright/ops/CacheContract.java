package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.numerics.ElementType;
import tilewright.reference.Rotation;

/** Attention on caches, their filling and merging against a plain reference in FP64, whatever the machine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CacheContract {
  private static final ElementType BF16 = ElementType.BF16;
  private static final int HEADS = 4;
  private static final int KEY_HEADS = 2;
  private static final int DIM = 64;
  private static final int[] LENGTHS = {40, 0, 130};
  private static final int ROOM = 144;

  private final Numbers numbers = new Numbers(33);
  private Ops ops;

  abstract Ops openOps();

  @BeforeAll
  void open() {
    ops = openOps();
  }

  @AfterAll
  void close() {
    if (ops != null) ops.close();
  }

  /** Rows of (…,H,D): those of a head. */
  private static float[][] rows(DeviceTensor tensor, int batch, int head, int count) {
    var all = tensor.select(0, batch).select(1, head).floats();
    return IntStream.range(0, count).mapToObj(row -> Arrays.copyOfRange(all, row * DIM, (row + 1) * DIM))
        .toArray(float[][]::new);
  }

  /** Entries whose rows behind their lengths are NaN. */
  private DeviceTensor entries() {
    var all = numbers.of(BF16, (long) LENGTHS.length * ROOM * KEY_HEADS * DIM);
    int row = KEY_HEADS * DIM;
    for (int b = 0; b < LENGTHS.length; b++) {
      Arrays.fill(all, (b * ROOM + LENGTHS[b]) * row, (b + 1) * ROOM * row, Float.NaN);
    }
    return ops.tensor(BF16, all, LENGTHS.length, ROOM, KEY_HEADS, DIM);
  }

  /** A copy of the rows in pages, from the last to the first. */
  private static DeviceTensor pages(Ops ops, DeviceTensor entries, int page) {
    int each = ROOM / page;
    int all = LENGTHS.length * each;
    var pages = ops.zeros(BF16, all, page, KEY_HEADS, DIM);
    var cut = entries.reshape(all, page, KEY_HEADS, DIM);
    for (int i = 0; i < all; i++) ops.copy(cut.select(0, i), pages.select(0, all - 1 - i));
    return pages;
  }

  private static int[] table(int page) {
    int all = LENGTHS.length * ROOM / page;
    return IntStream.range(0, all).map(i -> all - 1 - i).toArray();
  }

  @ParameterizedTest(name = "{0} queries, pages of {1}")
  @CsvSource({"1, 0", "3, 48"})
  void attentionSeesTheRowsInUse(int queries, int page) {
    var k = entries();
    var v = entries();
    var q = numbers.tensor(ops, BF16, LENGTHS.length, queries, HEADS, DIM);
    var lengths = ops.ints(LENGTHS, LENGTHS.length);
    var cache = page == 0 ? KeyValueCache.of(k, v, lengths) : KeyValueCache.paged(pages(ops, k, page),
        pages(ops, v, page), ops.ints(table(page), LENGTHS.length, ROOM / page), lengths);
    try (var state = ops.caches().attention(q, cache, AttentionOptions.of().causal())) {
      for (int b = 0; b < LENGTHS.length; b++) {
        int keys = LENGTHS[b];
        var logarithms = state.logarithms().select(0, b).floats();
        for (int head = 0; head < HEADS; head++) {
          var qs = rows(q, b, head, queries);
          var ks = rows(k, b, head / (HEADS / KEY_HEADS), keys);
          var vs = rows(v, b, head / (HEADS / KEY_HEADS), keys);
          numbers.check16("attention", state.output().select(0, b).select(1, head), i -> Numbers.attention(qs, ks, vs,
              i / DIM, i % DIM, 0, Math.max(0, i / DIM + keys - queries + 1), 0.125, 0));
          for (int row = 0; row < queries; row++) {
            assertEquals(logarithm(qs[row], ks, Math.max(0, row + keys - queries + 1)),
                logarithms[head * queries + row], 1e-3);
          }
        }
      }
    }
  }

  private static double logarithm(float[] q, float[][] k, int keys) {
    return Math.log(IntStream.range(0, keys).mapToDouble(key ->
        Math.exp(0.125 * IntStream.range(0, DIM).mapToDouble(i -> (double) q[i] * k[key][i]).sum())).sum());
  }

  @ParameterizedTest
  @ValueSource(strings = {"NONE", "NEIGHBOURS", "HALF"})
  void newTokensAreTurnedByTheirPositions(Rotation rotation) {
    int columns = 32;
    int tokens = 2;
    var before = entries();
    var k = ops.contiguous(before);
    var v = ops.contiguous(before);
    var counted = Arrays.stream(LENGTHS).map(length -> length + tokens).toArray();
    var cache = KeyValueCache.of(k, v, ops.ints(counted, counted.length));
    var q = numbers.tensor(ops, BF16, LENGTHS.length, tokens, HEADS, DIM);
    var newK = numbers.tensor(ops, BF16, LENGTHS.length, tokens, KEY_HEADS, DIM);
    var newV = numbers.tensor(ops, BF16, LENGTHS.length, tokens, KEY_HEADS, DIM);
    try (var tables = ops.ropeTables(ROOM, columns, 10000)) {
      if (rotation == Rotation.NONE) {
        ops.caches().append(cache, newK, newV);
      } else {
        var turned = ops.caches().append(cache, q, newK, newV, rotation, tables);
        for (int b = 0; b < LENGTHS.length; b++) {
          checkTurned(q.select(0, b), turned.select(0, b), LENGTHS[b], rotation, columns);
        }
      }
    }
    for (int b = 0; b < LENGTHS.length; b++) {
      var written = k.select(0, b).slice(0, LENGTHS[b], LENGTHS[b] + tokens);
      checkTurned(newK.select(0, b), written, LENGTHS[b], rotation, rotation == Rotation.NONE ? 0 : columns);
      assertArrayEquals(newV.select(0, b).floats(),
          v.select(0, b).slice(0, LENGTHS[b], LENGTHS[b] + tokens).floats());
      for (var cached : new DeviceTensor[] {k, v}) {
        assertArrayEquals(before.select(0, b).slice(0, 0, LENGTHS[b]).floats(),
            cached.select(0, b).slice(0, 0, LENGTHS[b]).floats());
        for (float number : cached.select(0, b).slice(0, LENGTHS[b] + tokens, ROOM).floats()) {
          assertTrue(Float.isNaN(number));
        }
      }
    }
  }

  /** Compares (tokens,heads,D) with what the definition makes of them. */
  private void checkTurned(DeviceTensor from, DeviceTensor to, int first, Rotation rotation, int columns) {
    var given = from.floats();
    int heads = (int) from.size(1);
    numbers.check("turned", to, i -> {
      int column = i % DIM;
      if (column >= columns) return given[i];
      int pair = rotation == Rotation.NEIGHBOURS ? column / 2 : column % (columns / 2);
      int row = i - column;
      double a = given[row + rotation.first(pair)];
      double b = given[row + rotation.second(pair, columns)];
      double angle = (first + i / (heads * DIM)) / Math.pow(10000, 2.0 * pair / columns);
      return column == rotation.first(pair) ? a * Math.cos(angle) - b * Math.sin(angle)
          : b * Math.cos(angle) + a * Math.sin(angle);
    }, 20);
  }

  @Test
  void statesAreMergedByTheirLogarithms() {
    var o = numbers.tensor(ops, BF16, 3, 1, 2, HEADS, DIM);
    var logs = numbers.of(ElementType.F32, 3L * HEADS * 2);
    logs[0] = Float.NEGATIVE_INFINITY;
    var given = o.floats();
    try (var merged = ops.caches().merge(new AttentionState(o, ops.tensor(ElementType.F32, logs, 3, 1, HEADS, 2)))) {
      numbers.check("merge", merged.output(), i -> {
        int row = i / DIM % HEADS * 2 + i / (DIM * HEADS);
        double sum = 0;
        double weights = 0;
        for (int state = 0; state < 3; state++) {
          double weight = Math.exp(logs[state * HEADS * 2 + row]);
          weights += weight;
          sum += weight * given[state * 2 * HEADS * DIM + i];
        }
        return sum / weights;
      }, 20);
      numbers.check("merge", merged.logarithms(), i -> Math.log(IntStream.range(0, 3)
          .mapToDouble(state -> Math.exp(logs[state * HEADS * 2 + i])).sum()), 20);
    }
  }

  @Test
  void whatDoesNotFitIsSaid() {
    var k = ops.zeros(BF16, 2, 32, KEY_HEADS, DIM);
    var lengths = ops.ints(new int[] {1, 2}, 2);
    var q = ops.zeros(BF16, 2, 1, HEADS, DIM);
    var cache = KeyValueCache.of(k, k, lengths);
    assertRefused("lengths are i32(1): needed are i32(2)", () -> KeyValueCache.of(k, k, ops.ints(new int[1], 1)));
    assertRefused("the table is i32(2): needed are i32(2,pages of an entry)",
        () -> KeyValueCache.paged(k, k, lengths, lengths));
    assertRefused("do not fit: needed are (B,rows,Hk,D)", () -> KeyValueCache.of(k, q, lengths));
    assertRefused("q is bf16(1,1,4,64), but the cache of 2 sequences has keys bf16(2,32,2,64)",
        () -> ops.caches().attention(q.slice(0, 0, 1), cache, AttentionOptions.of()));
    assertRefused("do not fit a cache of bf16(2,32,2,64)", () -> ops.caches().append(cache, q, q));
    assertRefused("of a cache of 32 rows: needed is a row for each", () -> {
      try (var tables = ops.ropeTables(31, DIM, 10000)) {
        ops.caches().append(cache, q, k.slice(1, 0, 1), k.slice(1, 0, 1), Rotation.HALF, tables);
      }
    });
    assertRefused("needed are (N,B,Sq,H,D) and f32(N,B,H,Sq)", () -> ops.caches().merge(new AttentionState(q, q)));
  }

  private static void assertRefused(String message, Executable call) {
    var said = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(said.contains(message), said);
  }
}
