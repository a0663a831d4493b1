package tilewright.layout.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;

/** Known swizzles, what is said where there is none, and what is refused. */
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
    // One phase of ldmatrix, and four of the 32 lanes of 16 bytes.
    assertTrue(found.certificate().explain().startsWith("with Sw<3,3,3> in front of (8,64):(64,1), 5 phases of 2 "
        + "accesses take 5 wavefronts, the fewest for their words; each of the "), found.certificate().explain());
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
  void elementsThatShareAnAddressAreNoObstacle() {
    var memory = Layout.parse("(4,2):(0,1)");
    assertEquals(0, SwizzleSearch.smallest(memory, 4, allModes(memory, 4, 4)).orElseThrow().bits());
  }

  /** An access to half an element leaves nothing together. */
  @Test
  void accessesOfLessThanAnElementMayMoveEach() {
    var memory = Layout.parse("(2,2):(1,2)");
    var pattern = new AccessPattern("two", List.of(0L, 2L), 4);
    var found = SwizzleSearch.smallest(memory, 8, List.of(pattern), SMALL).orElseThrow();
    assertEquals(new Swizzle(1, 0, 1), found);
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
