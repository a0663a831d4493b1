package tilewright.layout.expression;

import static tilewright.layout.expression.Explain.assertLines;

import org.junit.jupiter.api.Test;
import tilewright.layout.Dialect;

/** Derivations worked by hand. */
class CompositionDerivationTest {

  /** A(6·k + i) = 2·k + 8·i: at 0, 3, 6, 9 it is 0, 24, 2, 26. */
  @Test
  void aLeafIsCutWhereTheMultiplesOfItsStrideCarry() {
    assertLines("""
        A = (6,2):(8,2); B = (4,3):(3,1)
        leaf 4:3: A at 0,3,6,9 is 0,24,2,26, that is (2,2):(24,2), cut after 2 where the multiples of 3 carry: \
        A(6) is 2, not 2·24
        leaf 3:1: A at 0,1,2 is 0,8,16, that is 3:8
        digit 0 of A, below 6: 1·3 + 1·0 + 2·1 = 5, no carry
        R = ((2,2),3):((24,2),8), for …""", "composition((6,2):(8,2), (4,3):(3,1))");
  }

  @Test
  void eightValuesAreShownAndMoreAreIndicated() {
    assertLines("""
        A = 20:1; B = 8:2
        leaf 8:2: A at 0,2,4,6,8,10,12,14 is 0,2,4,6,8,10,12,14, that is 8:2
        R = 8:2, for …""", "composition(20:1, 8:2)");
    assertLines("""
        A = 20:1; B = 9:2
        leaf 9:2: A at 0,2,4,6,8,10,12,14,… is 0,2,4,6,8,10,12,14,…, that is 9:2
        R = 9:2, for …""", "composition(20:1, 9:2)");
  }

  @Test
  void aLayoutThatCoalescesIsShownCoalescedToo() {
    assertLines("""
        A = (4,2):(1,4), coalesced 8:1; B = 2:4
        leaf 2:4: A at 0,4 is 0,4, that is 2:4
        R = 2:4, for …""", "composition((4,2):(1,4), 2:4)");
  }

  /** Beyond its size (4,1):(1,0) repeats, which its coalesced form 4:1 does not. */
  @Test
  void coalescedMeansTheSameBeyondTheSize() {
    assertLines("""
        A = (4,1):(1,0); B = 8:1
        leaf 8:1: A at 0,1,2,3,4,5,6,7 is 0,1,2,3,0,1,2,3, that is (4,2):(1,0), \
        cut after 4 where the multiples of 1 carry: A(4) is 0, not 4·1
        digit 0 of A, below 4: 3·1 + 1·0 = 3, no carry
        R = (4,2):(1,0), for …""", "composition((4,1):(1,0), 8:1)");
  }

  /** A(B(2,1)) = A(2·2 + 1·3) = A(7) = 1 + 7 = 8, where strides (2,3) give 7. */
  @Test
  void leavesThatCarryIntoEachOtherAreRefusedWithTheCoordinate() {
    assertLines("""
        A = (6,2):(1,7); B = (3,2):(2,3)
        leaf 3:2: A at 0,2,4 is 0,2,4, that is 3:2
        leaf 2:3: A at 0,3 is 0,3, that is 2:3
        digit 0 of A, below 6: 2·2 + 1·3 = 7, carries 1
        needed: …
        found: …
        witness: at (2,1), index 5, 8 is demanded and 7 would be given""", "composition((6,2):(1,7), (3,2):(2,3))");
  }

  /** Index 6 = (0,1,1) is reached with carries (1,1): 3 + 3 = (1,1,0) + (1,1,0). Their gaps, -3 and 3, cancel. */
  @Test
  void carriesThatCancelAreShown() {
    assertLines("""
        A = (2,2,4):(1,5,7); B = 3:3
        leaf 3:3: A at 0,3,6 is 0,6,12, that is 3:6
        digit 0 of A, below 2: 2·1 = 2, carries 1
        digit 1 of A, below 2: 2·1 + 1 = 3, carries 1
        R = 3:6, for …""", "composition((2,2,4):(1,5,7), 3:3)");
  }

  @Test
  void coordinatesOfOneElementCarryNothing() {
    assertLines("""
        A = (2,2):(1,8); B = 1:3
        leaf 1:3: A at 0 is 0, that is 1:0
        R = 1:0, for …""", "composition((2,2):(1,8), 1:3)");
    assertLines("""
        A = (2,2):(1,8); B = (2,1):(1,3)
        leaf 2:1: A at 0,1 is 0,1, that is 2:1
        leaf 1:3: A at 0 is 0, that is 1:0
        digit 0 of A, below 2: 1·1 = 1, no carry
        R = (2,1):(1,0), for …""", "composition((2,2):(1,8), (2,1):(1,3))");
  }

  /** 3 consecutive indices cross from the first mode, of extent 2, once: 2 does not divide 3. */
  @Test
  void aLeafThatIsNoLayoutSaysSo() {
    assertLines("""
        A = (2,2):(1,8); B = 3:1
        leaf 3:1: …
        needed: …
        at mode 0
        found: …
        witness: at 2, index 2, 8 is demanded and 2 would be given""", "composition((2,2):(1,8), 3:1)");
  }

  @Test
  void aTilerIsTakenModeByMode() {
    var lines = """
        mode 0:
          A = 4:8; B = 2:2
          leaf 2:2: A at 0,2 is 0,16, that is 2:16
          R = 2:16, for …
        mode 1:
          _ leaves 8:1 as it is""";
    assertLines(lines, "composition((4,8):(8,1), [2:2;_])");
    assertLines(lines, "composition((4,8):(8,1), (2:2,_))");
    assertLines("_ leaves (4,8):(8,1) as it is", "composition((4,8):(8,1), _)");
  }

  @Test
  void modesBehindTheTilersAreDroppedOrKept() {
    var short2 = """
        mode 0:
          A = 4:8; B = 2:1
          leaf 2:1: A at 0,1 is 0,8, that is 2:8
          R = 2:8, for …
        modes behind the tiler's are\s""";
    assertLines(short2 + "dropped, as in CuTe C++", "composition((4,8):(8,1), [2])");
    assertLines(short2 + "dropped, as in CuTe C++", "composition((4,8):(8,1), [2])", Dialect.CUTE_DSL);
    assertLines(short2 + "kept, as in pycute", "composition((4,8):(8,1), [2])", Dialect.PYCUTE);
  }

  @Test
  void aTilerOfTooManyModesIsOnlyRefused() {
    assertLines("""
        needed: …
        found: 3 > 2""", "composition((4,8):(8,1), [2;2;2])");
  }

  @Test
  void inAStrictDialectNothingLiesBeyondTheLeftSize() {
    assertLines("""
        A = 4:1; B = 2:4
        leaf 2:4: A at 0,4 is 0,4, that is 2:4
        needed: …
        found: its coordinate 1 has offset 4, outside 0…3
        witness: at 1, index 1, 3 is demanded and 4 would be given""", "composition(4:1, 2:4)",
        Dialect.CUTE_CPP.with(Dialect.Domain.STRICT));
  }

  @Test
  void layoutsOfOtherKindsAreOnlyDescribed() {
    var description = "R(i) = outer(inner(i)); by mode for a tuple of tilers";
    assertLines(description, "composition(Sw<1,0,1>, 4:1)");
    assertLines(description, "composition(Sw<1,0,1> o 0 o 4:1, 2:1)");
    assertLines(description, "composition((8,4):(1@0,1@1), (2,2):(1,8))");
  }
}
