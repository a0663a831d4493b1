package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.GivenBlocks.Lists;
import tilewright.kernel.collective.attention.GivenBlocks;
import tilewright.kernel.collective.attention.Masks;
import tilewright.kernel.collective.attention.Scores;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.BlockPicture;
import tilewright.kernels.attention.TileMask;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Lists of blocks that a user gives, and the lists of tiles that kernels make of them, against a plain definition. */
class GivenBlocksTest {
  private static final int BATCH = 2;
  private static final int HEADS = 4;
  private static final int QUERIES = 200;
  private static final int KEYS = 270;
  private static final int BLOCK_M = 64;
  private static final int BLOCK_N = 96;
  private static final int ROWS = 4;
  private static final int COLUMNS = 3;

  /** 0 where a block is hidden, 1 where it is seen in part, 2 where it is seen whole. */
  private static int kind(int batch, int head, int row, int column) {
    return (7 * batch + 5 * head + 3 * row + 2 * column + row * column) % 3;
  }

  private static Sizes sizes() {
    return new Sizes(BATCH, QUERIES, KEYS, HEADS, 2, 64, 64);
  }

  private static Lists lists(String name, boolean shared) {
    return Lists.dense(name + "Counts", name + "Indices", List.of((long) BATCH, (long) HEADS, (long) ROWS),
        shared ? List.of(1L, 1L) : List.of((long) BATCH, (long) HEADS), COLUMNS);
  }

  private static Attention asked(boolean shared) {
    return Attention.forward(ElementType.BF16, sizes()).mask(Masks.causal())
        .blocks(new GivenBlocks(BLOCK_M, BLOCK_N, lists("kv", shared), Optional.of(lists("full", shared))));
  }

  private static Map<String, MemorySegment> buffers(boolean shared) {
    return buffers(shared ? 1 : BATCH, shared ? 1 : HEADS, ROWS);
  }

  /** The buffers of the lists; entries come in no order. */
  private static Map<String, MemorySegment> buffers(int batches, int heads, int rows) {
    var buffers = new HashMap<String, MemorySegment>();
    for (int kind = 1; kind <= 2; kind++) {
      var counts = Buffers.zeros(ElementType.I32, (long) batches * heads * rows);
      var indices = Buffers.poisoned(ElementType.I32, (long) batches * heads * rows * COLUMNS);
      for (int place = 0; place < batches * heads * rows; place++) {
        int count = 0;
        for (int column : new int[] {1, 2, 0}) {
          if (kind(place / rows / heads, place / rows % heads, place % rows, column) != kind) continue;
          set(indices, place * COLUMNS + count++, column);
        }
        set(counts, place, count);
      }
      buffers.put(kind == 1 ? "kvCounts" : "fullCounts", counts);
      buffers.put(kind == 1 ? "kvIndices" : "fullIndices", indices);
    }
    return buffers;
  }

  private static void set(MemorySegment buffer, long index, int value) {
    buffer.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, value);
  }

  private static int get(MemorySegment buffer, long index) {
    return buffer.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
  }

  /** Blocks of 128 queries and keys, which PyTorch makes, whatever the head dimension and the function. */
  @ParameterizedTest
  @CsvSource({"64, false", "64, true", "96, true", "128, false", "128, true", "192, true", "256, true"})
  void hopperHasTilesThatMakeUpBlocksOfAPowerOfTwo(int dim, boolean scored) {
    var lists = Lists.dense("kvCounts", "kvIndices", List.of(1L, 2L, 3L), List.of(1L, 1L), 3);
    var asked = Attention.forward(ElementType.BF16, Sizes.of(1, 300, 300, 2, dim)).mask(Masks.causal())
        .blocks(new GivenBlocks(128, 128, lists, Optional.empty()));
    var problem = (scored ? asked.score(Scores.alibi(2)) : asked).problem();
    var shape = Sm90AttentionKernel.shapes(problem).findFirst().orElseThrow();
    assertEquals(0, 128 % shape.keys(), shape::toString);
    assertEquals(dim, shape.headDim(), shape::toString);
    new BlockMask(problem, shape.consumers() * 64, shape.keys());
  }

  static Stream<Arguments> forms() {
    return Stream.of(Arguments.of(64, 96, false), Arguments.of(32, 48, false), Arguments.of(64, 32, true));
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aTileOfQueriesSeesTheBlocksOfItsRow(int tileM, int tileN, boolean shared) {
    var mask = new BlockMask(asked(shared).problem(), tileM, tileN);
    var buffers = buffers(shared);
    for (var name : BlockMask.BUFFERS) buffers.put(name, Buffers.poisoned(ElementType.I32, mask.elements()));
    assertEquals(List.of(), new SimulatorBackend(1).run(mask.prepare().on(buffers)).findings());
    for (int b = 0; b < BATCH; b++) {
      for (int h = 0; h < HEADS; h++) {
        var expected = new ArrayList<String>();
        for (int q = 0; q < QUERIES; q += tileM) {
          var line = new StringBuilder();
          for (int k = 0; k < KEYS; k += tileN) {
            int kind = shared ? kind(0, 0, q / BLOCK_M, k / BLOCK_N) : kind(b, h, q / BLOCK_M, k / BLOCK_N);
            // A block that the keys do not fill needs the end of the keys hidden.
            line.append(kind == 0 ? '·' : kind == 1 || k + tileN > KEYS ? '▒' : '█');
          }
          expected.add(line.toString());
        }
        assertEquals(String.join("\n", expected), BlockPicture.of(mask, buffers, b, h));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"64, 96", "32, 48"})
  void aBandHidesPartsOfGivenBlocks(int tileM, int tileN) {
    int left = 90;
    int right = 20;
    var mask = new BlockMask(asked(false).window(left, right).problem(), tileM, tileN);
    var buffers = buffers(false);
    for (var name : BlockMask.BUFFERS) buffers.put(name, Buffers.poisoned(ElementType.I32, mask.elements()));
    assertEquals(List.of(), new SimulatorBackend(1).run(mask.prepare().on(buffers)).findings());
    for (int head = 0; head < HEADS; head++) {
      var expected = new ArrayList<String>();
      for (int first = 0; first < QUERIES; first += tileM) {
        var line = new StringBuilder();
        for (int k = 0; k < KEYS; k += tileN) {
          int rows = Math.min(tileM, QUERIES - first);
          int shown = 0;
          for (int pair = 0; pair < rows * tileN; pair++) {
            int key = k + pair % tileN;
            // The last query is at the position of the last key.
            int distance = key - (first + pair / tileN + KEYS - QUERIES);
            if (key < KEYS && distance >= -left && distance <= right) shown++;
          }
          int kind = kind(1, head, first / BLOCK_M, k / BLOCK_N);
          line.append(kind == 0 || shown == 0 ? '·' : kind == 1 || shown < rows * tileN ? '▒' : '█');
        }
        expected.add(line.toString());
      }
      assertEquals(String.join("\n", expected), BlockPicture.of(mask, buffers, 1, head));
    }
  }

  /** Sequence i has the slots from its first query / rows of a tile + i on. */
  @Test
  void packedSequencesHaveListsOfTheirOwn() {
    int tileM = 32;
    int tileN = 48;
    int[] queries = {0, 110, QUERIES};
    int[] keys = {0, 150, KEYS};
    int rows = 2;
    var extents = List.of(2L, (long) HEADS, (long) rows);
    var given = new GivenBlocks(BLOCK_M, BLOCK_N, Lists.dense("kvCounts", "kvIndices", extents,
        List.of(2L, (long) HEADS), COLUMNS), Optional.of(Lists.dense("fullCounts", "fullIndices", extents,
            List.of(2L, (long) HEADS), COLUMNS)));
    var problem = Attention.forward(ElementType.BF16, new Sizes(1, QUERIES, KEYS, HEADS, 2, 64, 64))
        .packed(new Packed("cuQ", "cuK", 2, 110)).blocks(given).problem();
    var mask = new BlockMask(problem, tileM, tileN);
    var buffers = buffers(2, HEADS, rows);
    buffers.put("cuQ", integers(queries));
    buffers.put("cuK", integers(keys));
    for (var name : BlockMask.BUFFERS) buffers.put(name, Buffers.poisoned(ElementType.I32, mask.elements()));
    assertEquals(List.of(), new SimulatorBackend(1).run(mask.prepare().on(buffers)).findings());
    int slots = QUERIES / tileM + 2;
    int blocks = Math.ceilDiv(KEYS, tileN);
    for (int sequence = 0; sequence < 2; sequence++) {
      int length = keys[sequence + 1] - keys[sequence];
      for (int head = 0; head < HEADS; head++) {
        for (int tile = 0; tile < Math.ceilDiv(queries[sequence + 1] - queries[sequence], tileM); tile++) {
          var lists = List.of(new ArrayList<Integer>(), new ArrayList<Integer>());
          for (int n = Math.ceilDiv(length, tileN) - 1; n >= 0; n--) {
            int kind = kind(sequence, head, tile * tileM / BLOCK_M, n * tileN / BLOCK_N);
            if (kind > 0) lists.get(kind == 2 && (n + 1) * tileN <= length ? 1 : 0).add(n);
          }
          int at = queries[sequence] / tileM + sequence + tile + slots * head;
          for (int full = 0; full < 2; full++) {
            var list = buffers.get(full == 0 ? "partialBlocks" : "fullBlocks");
            var found = new ArrayList<Integer>();
            int count = get(buffers.get("blockCounts"), 2L * at + full);
            for (int i = 0; i < count; i++) found.add(get(list, (long) blocks * at + i));
            assertEquals(lists.get(full), found, "sequence " + sequence + ", head " + head + ", tile " + tile);
          }
        }
      }
    }
  }

  private static MemorySegment integers(int... values) {
    var buffer = Buffers.zeros(ElementType.I32, values.length);
    for (int i = 0; i < values.length; i++) set(buffer, i, values[i]);
    return buffer;
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aBlockOfKeysIsSeenByTheTilesOfAllSharers(int tileM, int tileN, boolean shared) {
    var mask = new TileMask(asked(shared).problem(), tileM, tileN);
    var buffers = buffers(shared);
    mask.elements().forEach((name, count) -> buffers.put(name, Buffers.poisoned(ElementType.I32, count)));
    assertEquals(List.of(), new SimulatorBackend(1).run(mask.prepare().on(buffers)).findings());
    int blocks = Math.ceilDiv(KEYS, tileN);
    int tiles = Math.ceilDiv(QUERIES, tileM);
    for (int place = 0; place < blocks * 2 * BATCH; place++) {
      int n = place % blocks;
      var expected = new ArrayList<Integer>();
      for (int sharer = 0; sharer < 2; sharer++) {
        for (int tile = 0; tile < tiles; tile++) {
          int head = place / blocks % 2 * 2 + sharer;
          int row = tile * tileM / BLOCK_M;
          int column = n * tileN / BLOCK_N;
          int kind = shared ? kind(0, 0, row, column) : kind(place / blocks / 2, head, row, column);
          if (kind > 0) expected.add(sharer << 20 | tile);
        }
      }
      var found = new ArrayList<Integer>();
      for (int i = 0; i < get(buffers.get("tileCounts"), place); i++) {
        found.add(get(buffers.get("tileList"), (long) place * 2 * tiles + i));
      }
      assertEquals(expected, found, "block " + n);
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    refused("blocks of 64 queries and 96 keys are not made of tiles of 64 and 64: give lists of multiples",
        () -> new BlockMask(asked(false).problem(), 64, 64));
    refused("invalid blocks of 0 queries and 96 keys: at least 1 each",
        () -> new GivenBlocks(0, 96, lists("kv", false), Optional.empty()));
    var few = new GivenBlocks(128, 96, lists("kv", false), Optional.empty());
    refused("lists of blocks of (batch, heads, rows) [2, 4, 4] and none: this attention needs [2, 4, 2]",
        () -> new BlockMask(Attention.forward(ElementType.BF16, sizes()).blocks(few).problem(), 64, 96));
    refused("lists of blocks have counts of (batch, heads, rows) and indices of (batch, heads, rows, entries), got "
        + "[2, 4, 4] and [2, 4, 3, 3]", () -> new Lists(lists("kv", false).counts(),
            Lists.dense("a", "b", List.of(2L, 4L, 3L), List.of(2L, 4L), 3).indices()));
  }

  private static void refused(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }
}
