package tilewright.layout.morphism;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Layout;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Where an operation has no result its reason names the numbers; where it has one, its certificate is no formality. */
class MorphismDecisionTest {
  private static final TupleMorphism F = TupleMorphism.parse("(2,3)→(3,2,5):(2,1)");

  @Test
  void aCompositionNeedsOneTupleInTheMiddle() {
    refused("(3→3:(1)) ∘ ((2,3)→(3,2,5):(2,1)) is undefined: the inner codomain is the outer domain (the weak"
        + " composition refines both); (3,2,5) is not 3", TupleMorphism.parse("3→3:(1)").tryComposition(F));
  }

  @Test
  void aConcatenationNeedsOneCodomainAndDisjointImages() {
    refused("concatenation of (2,3)→(3,2,5):(2,1) and 3→3:(1) is undefined: both have one codomain; (3,2,5) is not 3",
        F.tryConcatenation(TupleMorphism.parse("3→3:(1)")));
    refused("concatenation of (2,3)→(3,2,5):(2,1) and (5,2)→(3,2,5):(3,2) is undefined: the images are disjoint;"
        + " mode 1: position 2 of the second is the first's too",
        F.tryConcatenation(TupleMorphism.parse("(5,2)→(3,2,5):(3,2)")));
  }

  @Test
  void aComplementNeedsAPositionForEveryExtent() {
    refused("complement of (2,7)→(2,3):(1,0) is undefined: every integer of the domain has a position; mode 1: extent 7"
        + " has none", TupleMorphism.parse("(2,7)→(2,3):(1,0)").tryComplement());
  }

  @Test
  void aFactorisationNeedsTheImage() {
    refused("factorisation of (2,3)→(3,2,5):(2,1) through (1,3) is undefined: the image lies in the given places;"
        + " mode 0: 2 is none of them", F.tryFactorization(List.of(1, 3)));
  }

  @Test
  void aDivisionNeedsATotalTileOfItsDomain() {
    refused("((2,3)→(3,2,5):(2,1)) ⊘ (7→(2,3):(0)) is undefined: every integer of the domain has a position; mode 0:"
        + " extent 7 has none in the complement of 7→(2,3):(0)",
        F.tryLogicalDivide(TupleMorphism.parse("7→(2,3):(0)")));
    refused("((2,3)→(3,2,5):(2,1)) ⊘ (2→2:(1)) is undefined: the tile's codomain is the domain of what is divided;"
        + " 2 is not (2,3)", F.tryLogicalDivide(TupleMorphism.parse("2→2:(1)")));
  }

  @Test
  void aProductNeedsATotalFirstAndTilesOverItsComplement() {
    var lost = TupleMorphism.parse("7→(2,3):(0)");
    refused("(7→(2,3):(0)) ⊗ ((2,3)→(3,2,5):(2,1)) is undefined: every integer of the domain has a position; mode 0:"
        + " extent 7 has none in the complement of 7→(2,3):(0)", lost.tryLogicalProduct(F));
    refused("((2,3)→(3,2,5):(2,1)) ⊗ (5→5:(1)) is undefined: the second's codomain is the domain of the first's"
        + " complement; 5 is not (5)", F.tryLogicalProduct(TupleMorphism.parse("5→5:(1)")));
  }

  @Test
  void refiningNeedsARefinement() {
    refused("pullback of (2,3)→(3,2,5):(2,1) along (3,(2,2),5) is undefined: the tuple refines the codomain;"
        + " (2,2) has size 4, not 2", F.tryPullback(IntTuple.parse("(3,(2,2),5)")));
    refused("pushforward of (2,3)→(3,2,5):(2,1) along 6 is undefined: the tuple refines the domain;"
        + " 6 has other modes than (2,3)", F.tryPushforward(IntTuple.of(6)));
    refused("pushforward of (2,3)→(3,2,5):(2,1) along (2,3,1) is undefined: the tuple refines the domain;"
        + " (2,3,1) has other modes than (2,3)", F.tryPushforward(IntTuple.parse("(2,3,1)")));
    refused("coalescing (2,3)→(3,2,5):(2,1) over (6,1) is undefined: the domain refines the tuple; 2 has size 2, not 6",
        F.tryCoalesceOver(IntTuple.parse("(6,1)")));
  }

  @Test
  void aWeakCompositionNeedsAMutualRefinement() {
    refused("weak composition of 4→4:(1) after 3→3:(1) is undefined: of two integers that meet, one divides the other;"
        + " mode 0: 3 meets 4 of 4 in the mutual refinement of 3 and 4",
        TupleMorphism.parse("4→4:(1)").tryWeakComposition(TupleMorphism.parse("3→3:(1)")));
    refused("mutual refinement of (4,6) and (2,2,3) is undefined: the second tuple is at least as long as the first;"
        + " mode 1: 2 is left where (2,2,3) has ended",
        Refinement.tryMutual(IntTuple.parse("(4,6)"), IntTuple.parse("(2,2,3)")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"2,1", "1,1", "0", "3"})
  void placesMustIncreaseWithinTheTuple(String places) {
    var list = List.of(places.split(",")).stream().map(Integer::valueOf).toList();
    assertEquals("places (" + places + ") in (2,3) must increase, from 1 to at most 2",
        assertThrows(IllegalArgumentException.class, () -> F.restrict(list)).getMessage());
  }

  @Test
  void aPathCertificateHoldsOnlyForTheCompositeOfThePath() {
    var outer = TupleMorphism.parse("(3,2,5)→(5,3,2):(2,3,1)");
    var path = List.of(F, outer);
    holds("(3,2,5)→(5,3,2):(2,3,1) ∘ (2,3)→(3,2,5):(2,1) = (2,3)→(5,3,2):(3,2), position by position",
        new PathCertificate(path, TupleMorphism.parse("(2,3)→(5,3,2):(3,2)")));
    assertFalse(new PathCertificate(path, TupleMorphism.parse("(2,3)→(5,3,2):(3,0)")).holds());
    assertFalse(new PathCertificate(List.of(F, TupleMorphism.parse("(3,2)→(3,2):(1,2)")), F).holds(), "too short");
    assertFalse(new PathCertificate(List.of(F, TupleMorphism.parse("(3,2,7)→(3,2,5):(1,2,0)")), F).holds(), "unequal");
  }

  @Test
  void aDisjointCertificateHoldsOnlyForDisjointImagesThatLeaveNoneOut() {
    var rest = TupleMorphism.parse("5→(3,2,5):(3)");
    var none = TupleMorphism.parse("7→(3,2,5):(0)");
    holds("(2,3)→(3,2,5):(2,1) and 5→(3,2,5):(3) have no position in common and leave none out",
        new DisjointCertificate(F, rest, true));
    holds("(2,3)→(3,2,5):(2,1) and 7→(3,2,5):(0) have no position in common", new DisjointCertificate(F, none, false));
    assertFalse(new DisjointCertificate(F, none, true).holds());
    assertFalse(new DisjointCertificate(F, F, false).holds());
    assertFalse(new DisjointCertificate(F, TupleMorphism.parse("5→(3,2,5,1):(3)"), false).holds());
  }

  @Test
  void aSameFunctionCertificateHoldsOnlyForOneFunctionOverTheTuple() {
    var whole = TupleMorphism.parse("(4,3)→(3,4):(2,1)");
    var fine = TupleMorphism.parse("((2,2),3)→(3,2,2):(2,3,1)");
    holds("((2,2),3)→(3,2,2):(2,3,1) realises the function of (4,3)→(3,4):(2,1): over (4,3), both coalesce to the same",
        new SameFunctionCertificate(whole.domain(), whole, fine));
    var swapped = TupleMorphism.parse("((2,2),3)→(3,2,2):(3,2,1)");
    assertFalse(new SameFunctionCertificate(whole.domain(), whole, swapped).holds());
    assertFalse(new SameFunctionCertificate(fine.domain(), whole, fine).holds());
    assertFalse(new SameFunctionCertificate(fine.domain(), fine, whole).holds());
  }

  @Test
  void theOtherCertificatesHoldOnlyForWhatWasFound() {
    var layout = Layout.parse("(2,3):(3,1)");
    var form = TupleMorphism.tryStandardForm(layout);
    holds("(2,3)→(3,2):(2,1) realises (2,3):(3,1)", ((Decision.Defined<TupleMorphism>) form).certificate());
    assertFalse(new RealisationCertificate(layout, F.sort()).holds());
    var mutual = Refinement.tryMutual(IntTuple.of(2), IntTuple.of(4));
    holds("2 refines 2, (2,2) refines 4, and the integers of the one begin those of the other",
        ((Decision.Defined<Refinement.Mutual>) mutual).certificate());
  }

  private static void holds(String sentence, Certificate certificate) {
    assertTrue(certificate.holds());
    assertEquals(sentence, certificate.explain());
  }

  private static void refused(String message, Decision<?> decision) {
    assertEquals(message, assertInstanceOf(Decision.Undefined.class, decision).message());
  }
}
