package tilewright.layout.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Decision;
import tilewright.layout.Layout;
import tilewright.layout.Swizzle;

/** Found swizzles against a search of the whole space that counts by itself. */
class SwizzleSearchTest {
  private static final BankGeometry SMALL = new BankGeometry(4, 4);

  private static List<AccessPattern> allModes(Layout memory, int elementBytes, int accessBytes) {
    var patterns = new ArrayList<AccessPattern>();
    for (var mode = 0; mode < memory.rank(); mode++) {
      patterns.add(AccessPattern.along(memory, mode, elementBytes, accessBytes));
    }
    return patterns;
  }

  /** The swizzle that CUTLASS uses for rows of 128 bytes: Sw<3,3,3> on 16-bit elements. */
  @Test
  void rowsOf128BytesWantTheKnownSwizzle() {
    var memory = Layout.parse("(8,64):(64,1)");
    var patterns = List.of(AccessPattern.matrices(memory, 1, 2), AccessPattern.along(memory, 1, 2, 16));
    var found = assertInstanceOf(Decision.Defined.class, SwizzleSearch.smallest(memory, 2, patterns));
    assertEquals(new Swizzle(3, 3, 3), found.result());
    assertTrue(found.certificate().holds());
    assertTrue(found.certificate().explain().contains("smaller swizzles has a conflict"));
  }

  /** Rows of 64 and of 32 bytes: two and one bits, as in the SW64 and SW32 modes of TMA. */
  @Test
  void shorterRowsWantFewerBits() {
    var sw64 = Layout.parse("(8,32):(32,1)");
    assertEquals(new Swizzle(2, 3, 3),
        SwizzleSearch.smallest(sw64, 2, List.of(AccessPattern.matrices(sw64, 1, 2))).orElseThrow());
    var sw32 = Layout.parse("(8,16):(16,1)");
    assertEquals(new Swizzle(1, 3, 3),
        SwizzleSearch.smallest(sw32, 2, List.of(AccessPattern.matrices(sw32, 1, 2))).orElseThrow());
  }

  @Test
  void whatHasNoConflictsWantsNoBits() {
    var memory = Layout.parse("32:1");
    assertEquals(0, SwizzleSearch.smallest(memory, 4, allModes(memory, 4, 4)).orElseThrow().bits());
  }

  /** Bits 2 and 5 would have to fall onto the two bits of the bank, and no one shift takes both there. */
  @Test
  void aPhaseThatNoSwizzleFreesIsNamed() {
    var memory = Layout.parse("(2,2):(4,32)");
    var pattern = new AccessPattern("far bits", List.of(0L, 1L, 2L, 3L), 4);
    var none = assertInstanceOf(Decision.Undefined.class,
        SwizzleSearch.smallest(memory, 4, List.of(pattern), SMALL));
    var reason = "the phase of lane 0 of far bits takes 2 wavefronts with the best of them and 1";
    assertTrue(none.message().contains(reason), none.message());
  }

  @Test
  void negativeStridesAreRefused() {
    var memory = Layout.parse("(4,4):(-4,1)");
    var e = assertThrows(IllegalArgumentException.class,
        () -> SwizzleSearch.smallest(memory, 4, allModes(memory, 4, 4)));
    assertTrue(e.getMessage().contains("negative stride -4"), e.getMessage());
  }

  @Test
  void accessesThatNeedDifferentSwizzlesAreSaidToDoSo() {
    var memory = Layout.parse("64:1");
    var near = new AccessPattern("near", List.of(0L, 4L, 8L, 12L), 4);
    var far = new AccessPattern("far", List.of(0L, 16L, 32L, 48L), 4);
    assertEquals(new Swizzle(2, 0, 2), SwizzleSearch.smallest(memory, 4, List.of(near), SMALL).orElseThrow());
    assertEquals(new Swizzle(2, 0, 4), SwizzleSearch.smallest(memory, 4, List.of(far), SMALL).orElseThrow());
    var none = assertInstanceOf(Decision.Undefined.class,
        SwizzleSearch.smallest(memory, 4, List.of(near, far), SMALL));
    assertTrue(none.message().contains("none frees all 2 accesses together"), none.message());
  }

  @ParameterizedTest
  @ValueSource(strings = {"(4,4):(4,1)", "(4,8):(8,1)", "(8,4):(4,1)", "(4,4):(1,4)", "(4,4):(16,1)", "(4,2,4):(8,4,1)",
      "(4,4):(5,1)", "(3,4):(4,1)", "(4,3):(4,1)", "(16,2):(2,1)", "(4,4):(8,2)", "(2,8):(1,8)", "(4,4):(6,1)"})
  void theFoundSwizzleIsTheSmallestOfAll(String text) {
    var memory = Layout.parse(text);
    for (var access : List.of(4, 8)) {
      var vectors = access / 4;
      List<AccessPattern> patterns;
      try {
        patterns = allModes(memory, 4, access);
      } catch (IllegalArgumentException noNeighbours) {
        continue;
      }
      if (patterns.stream().anyMatch(p -> p.indices().stream().anyMatch(i -> memory.apply(i) % vectors != 0))) continue;
      var expected = exhaustive(memory, patterns, vectors);
      switch (SwizzleSearch.smallest(memory, 4, patterns, SMALL)) {
        case Decision.Defined<Swizzle> found -> {
          assertEquals(expected, Optional.of(found.result().bits()), text + " " + found.result());
          assertTrue(free(memory, patterns, found.result()));
          assertTrue(found.certificate().holds());
        }
        case Decision.Undefined<Swizzle> none -> assertEquals(expected, Optional.empty(), none.message());
      }
    }
  }

  /** The fewest bits of all swizzles whose fields end below bit 10, which is above every offset here. */
  private static Optional<Integer> exhaustive(Layout memory, List<AccessPattern> patterns, int vectors) {
    for (var bits = 0; bits <= 5; bits++) {
      for (var base = vectors - 1; base <= 10; base++) {
        for (var shift = -10; shift <= 10; shift++) {
          if (Math.abs(shift) < bits || bits + base + Math.abs(shift) > 10) continue;
          // A swizzle that leaves the block of the memory would need more of it.
          var swizzle = new Swizzle(bits, base, shift);
          if (inside(memory, swizzle) && free(memory, patterns, swizzle)) return Optional.of(bits);
        }
      }
    }
    return Optional.empty();
  }

  private static boolean inside(Layout memory, Swizzle swizzle) {
    var block = Long.highestOneBit(memory.cosize() - 1) * 2;
    for (var i = 0; i < memory.size(); i++) if (swizzle.apply(memory.apply(i)) >= block) return false;
    return true;
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

  @Test
  void aCertificateOfTheWrongSwizzleDoesNotHold() {
    var memory = Layout.parse("(8,64):(64,1)");
    var pattern = AccessPattern.matrices(memory, 1, 2);
    var analyses = List.of(BankAnalysis.of(memory, 2, pattern));
    var wrong = new ConflictFreeCertificate(new Swizzle(2, 3, 3), memory, 2, BankGeometry.SHARED_MEMORY, analyses,
        List.of());
    assertFalse(wrong.holds());
    var notSmallest = new ConflictFreeCertificate(new Swizzle(3, 3, 3), memory, 2, BankGeometry.SHARED_MEMORY, analyses,
        List.of(new Swizzle(3, 3, 3)));
    assertFalse(notSmallest.holds());
  }
}
