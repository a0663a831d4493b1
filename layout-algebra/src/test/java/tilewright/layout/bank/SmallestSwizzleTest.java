package tilewright.layout.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;

/** Found swizzles against a search of the whole space that orders and counts by itself. */
class SmallestSwizzleTest {
  private static final BankGeometry SMALL = new BankGeometry(4, 4);
  /** Fewest bits, smallest block, smallest shift, downwards before upwards. */
  private static final Comparator<Swizzle> SMALLEST = Comparator.comparing(Swizzle::bits)
      .thenComparing(SmallestSwizzleTest::block).thenComparing(swizzle -> Math.abs(swizzle.shift()))
      .thenComparing(swizzle -> swizzle.shift() < 0);

  private static int block(Swizzle swizzle) {
    return swizzle.bits() + swizzle.base() + Math.abs(swizzle.shift());
  }

  /** All swizzles that move something, keep 2^base elements together and stay in a block of 2^bits elements. */
  private static List<Swizzle> candidates(int base, int bits) {
    var candidates = new ArrayList<Swizzle>();
    for (var b = 1; b <= bits; b++) {
      for (var m = base; m <= bits; m++) {
        for (var shift = -bits; shift <= bits; shift++) {
          if (Math.abs(shift) < b) continue;
          var swizzle = new Swizzle(b, m, shift);
          if (block(swizzle) <= bits) candidates.add(swizzle);
        }
      }
    }
    candidates.sort(SMALLEST);
    return candidates;
  }

  private static List<AccessPattern> allModes(Layout memory, int accessBytes) {
    var patterns = new ArrayList<AccessPattern>();
    for (var mode = 0; mode < memory.rank(); mode++) patterns.add(AccessPattern.along(memory, mode, 4, accessBytes));
    return patterns;
  }

  @ParameterizedTest
  @ValueSource(strings = {"(4,4):(4,1)", "(4,8):(8,1)", "(8,4):(4,1)", "(4,4):(1,4)", "(4,4):(16,1)", "(4,2,4):(8,4,1)",
      "(4,4):(5,1)", "(3,4):(4,1)", "(4,3):(4,1)", "(16,2):(2,1)", "(4,4):(8,2)", "(2,8):(1,8)", "(4,4):(6,1)",
      "(4,4):(12,1)", "(2,2,4):(16,4,1)", "(4,4):(32,1)"})
  void theFoundSwizzleIsTheSmallestOfAll(String text) {
    var memory = Layout.parse(text);
    for (var access : List.of(4, 8)) {
      var vectors = access / 4;
      List<AccessPattern> patterns;
      try {
        patterns = allModes(memory, access);
      } catch (IllegalArgumentException noNeighbours) {
        continue;
      }
      if (patterns.stream().anyMatch(p -> p.indices().stream().anyMatch(i -> memory.apply(i) % vectors != 0))) continue;
      var expected = exhaustive(memory, patterns, vectors - 1);
      switch (SwizzleSearch.smallest(memory, 4, patterns, SMALL)) {
        case Decision.Defined<Swizzle> found -> {
          assertEquals(expected, Optional.of(found.result()));
          assertTrue(found.certificate().holds());
        }
        case Decision.Undefined<Swizzle> none -> assertEquals(expected, Optional.empty(), none.message());
      }
    }
  }

  private static Optional<Swizzle> exhaustive(Layout memory, List<AccessPattern> patterns, int base) {
    var identity = new Swizzle(0, base, 0);
    if (free(memory, patterns, identity)) return Optional.of(identity);
    var bits = 0;
    while (1 << bits < memory.cosize()) bits++;
    return candidates(base, bits).stream().filter(swizzle -> free(memory, patterns, swizzle)).findFirst();
  }

  /** Four banks of four bytes, each of one word at a time; phases are four lanes of 4 bytes or two of 8. */
  private static boolean free(Layout memory, List<AccessPattern> patterns, Swizzle swizzle) {
    for (var pattern : patterns) {
      var lanes = pattern.indices();
      var together = 16 / pattern.accessBytes();
      for (var first = 0; first < lanes.size(); first += together) {
        var banks = new HashMap<Long, Set<Long>>();
        var words = new HashSet<Long>();
        for (var lane = first; lane < Math.min(lanes.size(), first + together); lane++) {
          for (var i = 0; i < pattern.accessBytes() / 4; i++) {
            var word = swizzle.apply(memory.apply(lanes.get(lane))) + i;
            words.add(word);
            banks.computeIfAbsent(word % 4, _ -> new HashSet<>()).add(word);
          }
        }
        if (banks.values().stream().anyMatch(bank -> bank.size() > (words.size() + 3) / 4)) return false;
      }
    }
    return true;
  }

  /** Offsets 0, 4, 32 and 36 are in one bank, and no one shift takes the bits 2 and 5 to two bits of the bank. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(2,2):(4,32)|6", "(2,2,2):(4,32,27)|6", "(2,2,2):(4,32,28)|7",
      "(2,2,2):(4,32,91)|7", "(2,2,2):(4,32,92)|8"})
  void allSwizzlesOfTheMemorysBlockAreTried(String text, int bits) {
    var far = new AccessPattern("far bits", List.of(0L, 1L, 2L, 3L), 4);
    for (var base = 0; base <= 2; base++) {
      // One lane has no conflict, but its elements must stay together.
      var wide = new AccessPattern("wide", List.of(0L), 4 << base);
      var none = assertInstanceOf(Decision.Undefined.class,
          SwizzleSearch.smallest(Layout.parse(text), 4, List.of(far, wide), SMALL));
      var all = candidates(base, bits);
      assertEquals("one of the " + (all.size() + 1) + " swizzles up to " + all.getLast()
          + " frees every phase of conflicts", none.condition());
    }
  }
}
