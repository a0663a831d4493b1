package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.BlockPicture;
import tilewright.kernels.attention.TileMask;
import tilewright.kernels.library.AttentionBackwardKernels;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionMods;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.Case;

/** Masks written as lambdas: which blocks of keys their lists name, and what attention makes of them. */
class BlockMaskTest {
  private static final int TILE_QUERIES = 64;
  private static final int TILE_KEYS = 64;
  private static final long SEED = 5;

  static Stream<AttentionCases.Setup> setups() {
    return Stream.concat(AttentionMods.setups().stream(), AttentionMods.listed().stream())
        .filter(s -> s.problem().blockMask());
  }

  /** A sequence of a setup, or all of it, and the row of tiles or blocks with which it begins. */
  private record Part(int sequence, int queries, int keys, int firstTile, int firstBlock) {}

  /** Packed sequences have slots: sequence i from cu / rows of a tile + i on. */
  private static List<Part> parts(AttentionCases.Setup setup) {
    var s = setup.problem().sizes();
    if (setup.problem().packed().isEmpty()) return List.of(new Part(0, s.queries(), s.keys(), 0, 0));
    var parts = new ArrayList<Part>();
    int query = 0;
    int key = 0;
    for (int i = 0; i < setup.queries().length; i++) {
      parts.add(new Part(i, setup.queries()[i], setup.keys()[i], query / TILE_QUERIES + i, key / TILE_KEYS + i));
      query += setup.queries()[i];
      key += setup.keys()[i];
    }
    return parts;
  }

  @ParameterizedTest
  @MethodSource("setups")
  void listsNameTheBlocksThatTheMaskShowsInPartAndWhole(AttentionCases.Setup setup) {
    var mask = new BlockMask(setup.problem(), TILE_QUERIES, TILE_KEYS);
    var buffers = AttentionCases.buffers(setup, SEED);
    for (var name : BlockMask.BUFFERS) buffers.put(name, Buffers.poisoned(ElementType.I32, mask.elements()));
    assertEquals(List.of(), new SimulatorBackend(SEED).run(mask.prepare().on(buffers)).findings());
    var s = setup.problem().sizes();
    int blocks = Math.ceilDiv(s.keys(), TILE_KEYS);
    int tiles = setup.problem().packed().isPresent() ? s.queries() / TILE_QUERIES + setup.queries().length
        : Math.ceilDiv(s.queries(), TILE_QUERIES);
    for (var part : parts(setup)) {
      for (int head = 0; head < s.heads(); head++) {
        for (int tile = 0; tile < Math.ceilDiv(part.queries, TILE_QUERIES); tile++) {
          var partial = new ArrayList<Integer>();
          var full = new ArrayList<Integer>();
          for (int n = Math.ceilDiv(part.keys, TILE_KEYS) - 1; n >= 0; n--) {
            long shown = shown(setup, part, tile, n);
            long rows = Math.min(TILE_QUERIES, part.queries - tile * TILE_QUERIES);
            if (shown == rows * TILE_KEYS) full.add(n);
            else if (shown > 0) partial.add(n);
          }
          int at = part.firstTile + tile + tiles * head;
          assertEquals(partial, entries(buffers.get("partialBlocks"), blocks * at, buffers.get("blockCounts"), 2 * at));
          assertEquals(full, entries(buffers.get("fullBlocks"), blocks * at, buffers.get("blockCounts"), 2 * at + 1));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("setups")
  void listsOfBlocksOfKeysNameTheTilesThatSeeThem(AttentionCases.Setup setup) {
    var mask = new TileMask(setup.problem(), TILE_QUERIES, TILE_KEYS, true);
    var buffers = AttentionCases.buffers(setup, SEED);
    mask.elements().forEach((name, count) -> buffers.put(name, Buffers.poisoned(ElementType.I32, count)));
    for (var launch : mask.launches()) {
      assertEquals(List.of(), new SimulatorBackend(SEED).run(launch.on(buffers)).findings());
    }
    var s = setup.problem().sizes();
    int entries = Math.ceilDiv(s.queries(), TILE_QUERIES) * s.sharers();
    int blocks = setup.problem().packed().isPresent() ? s.keys() / TILE_KEYS + setup.keys().length
        : Math.ceilDiv(s.keys(), TILE_KEYS);
    for (var part : parts(setup)) {
      for (int head = 0; head < s.keyHeads(); head++) {
        for (int n = 0; n < Math.ceilDiv(part.keys, TILE_KEYS); n++) {
          var expected = new ArrayList<Integer>();
          var turns = new ArrayList<Integer>();
          for (int sharer = 0; sharer < s.sharers(); sharer++) {
            for (int tile = 0; tile < Math.ceilDiv(part.queries, TILE_QUERIES); tile++) {
              if (shown(setup, part, tile, n) == 0) continue;
              expected.add(sharer << 20 | tile);
              turns.add(before(setup, part, tile, n));
            }
          }
          int at = part.firstBlock + n + blocks * head;
          assertEquals(expected, entries(buffers.get("tileList"), entries * at, buffers.get("tileCounts"), at));
          assertEquals(turns, entries(buffers.get("tileTurns"), entries * at, buffers.get("tileCounts"), at));
        }
      }
    }
  }

  /** The blocks that see a tile and are launched before one: with a diagonal, the last of a sequence comes first. */
  private static int before(AttentionCases.Setup setup, Part part, int tile, int block) {
    boolean descends = setup.problem().band().right().isPresent();
    int blocks = Math.ceilDiv(part.keys, TILE_KEYS);
    return (int) IntStream.range(descends ? block + 1 : 0, descends ? blocks : block)
        .filter(n -> shown(setup, part, tile, n) > 0).count();
  }

  @Test
  void aBandStaysWhereAMaskComesAfterwards() {
    var first = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 128, 192, 1, 64)).with(Band.CAUSAL).skipping();
    var mask = new BlockMask(first.with(Modification.NONE.and((b, h, q, k) -> k.atLeast(64))), TILE_QUERIES, TILE_KEYS);
    var buffers = new HashMap<String, MemorySegment>();
    for (var name : BlockMask.BUFFERS) buffers.put(name, Buffers.poisoned(ElementType.I32, mask.elements()));
    assertEquals(List.of(), new SimulatorBackend(SEED).run(mask.prepare().on(buffers)).findings());
    // Queries are at the end of the keys.
    assertEquals("·▒·\n·█▒", BlockPicture.of(mask, buffers, 0, 0));
  }

  private static long shown(AttentionCases.Setup setup, Part part, int tile, int block) {
    var rule = setup.rules().of(part.sequence, part.queries, part.keys);
    long shown = 0;
    for (int q = tile * TILE_QUERIES; q < Math.min(part.queries, (tile + 1) * TILE_QUERIES); q++) {
      for (int k = block * TILE_KEYS; k < Math.min(part.keys, (block + 1) * TILE_KEYS); k++) {
        if (rule.visible(0, 0, q, k)) shown++;
      }
    }
    return shown;
  }

  private static List<Integer> entries(MemorySegment list, int from, MemorySegment counts, int count) {
    var entries = new ArrayList<Integer>();
    for (int i = 0; i < counts.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, count); i++) {
      entries.add(list.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, from + i));
    }
    return entries;
  }

  @ParameterizedTest
  @MethodSource("setups")
  void attentionThatSkipsBlocksIsWithinTheErrorRule(AttentionCases.Setup setup) {
    passes(AttentionCases.makeCase(AttentionCases.SM80, setup, Set.of("sim"), SEED));
  }

  static Stream<Arguments> listed() {
    return AttentionMods.listed().stream().flatMap(setup -> Stream.concat(
        Stream.of(AttentionCases.SM90, AttentionCases.SM100)
            .map(by -> AttentionCases.makeCase(by, setup, Set.of("sim"), SEED)),
        AttentionBackwardKernels.builtIn().all().stream().flatMap(kernel -> Stream.of(false, true).map(fixed ->
            AttentionBackwardCases.makeCase(kernel, AttentionBackwardCases.setup(setup, fixed), SEED)))))
        .map(made -> Arguments.argumentSet(made.kernel() + " " + made.config(), made));
  }

  @ParameterizedTest
  @MethodSource("listed")
  void everyKernelSkipsBlocksOfBandsAndPackedSequences(Case made) {
    passes(made);
  }

  private static void passes(Case made) {
    var row = Verification.verify(made, new SimulatorBackend(SEED));
    assertEquals("", row.reason());
    assertEquals(Row.Status.PASS, row.status());
  }
}
