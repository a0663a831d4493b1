package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.AttentionMods;

/** Masks written as lambdas: which blocks of keys their lists name, and what attention makes of them. */
class BlockMaskTest {
  private static final int TILE_QUERIES = 64;
  private static final int TILE_KEYS = 64;
  private static final long SEED = 5;

  static List<AttentionCases.Setup> setups() {
    return AttentionMods.setups().stream().filter(s -> s.problem().blockMask()).toList();
  }

  @ParameterizedTest
  @MethodSource("setups")
  void listsNameTheBlocksThatTheMaskShowsInPartAndWhole(AttentionCases.Setup setup) {
    var buffers = AttentionCases.buffers(setup, SEED);
    var s = setup.problem().sizes();
    int tiles = Math.ceilDiv(s.queries(), TILE_QUERIES);
    int blocks = Math.ceilDiv(s.keys(), TILE_KEYS);
    for (int head = 0; head < s.heads(); head++) {
      for (int tile = 0; tile < tiles; tile++) {
        var partial = new ArrayList<Integer>();
        var full = new ArrayList<Integer>();
        for (int n = blocks - 1; n >= 0; n--) {
          long shown = shown(setup, tile, n);
          long rows = Math.min(TILE_QUERIES, s.queries() - tile * TILE_QUERIES);
          if (shown == rows * TILE_KEYS) full.add(n);
          else if (shown > 0) partial.add(n);
        }
        int at = tile + tiles * head;
        assertEquals(partial, entries(buffers.get("partialBlocks"), blocks * at, buffers.get("blockCounts"), 2 * at));
        assertEquals(full, entries(buffers.get("fullBlocks"), blocks * at, buffers.get("blockCounts"), 2 * at + 1));
      }
    }
  }

  private static long shown(AttentionCases.Setup setup, int tile, int block) {
    var s = setup.problem().sizes();
    var rule = setup.rules().of(0, s.queries(), s.keys());
    long shown = 0;
    for (int q = tile * TILE_QUERIES; q < Math.min(s.queries(), (tile + 1) * TILE_QUERIES); q++) {
      for (int k = block * TILE_KEYS; k < Math.min(s.keys(), (block + 1) * TILE_KEYS); k++) {
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
    var buffers = AttentionCases.buffers(setup, SEED);
    var outcome = new SimulatorBackend(SEED).run(AttentionCases.SM80.launch().apply(setup.problem()).on(buffers));
    assertEquals(List.of(), outcome.findings());
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
  }
}
