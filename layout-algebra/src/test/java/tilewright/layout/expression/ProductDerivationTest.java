package tilewright.layout.expression;

import static tilewright.layout.expression.Explain.assertLines;

import org.junit.jupiter.api.Test;

/** Derivations worked by hand. */
class ProductDerivationTest {

  /** Offsets 0, 1, 4, 5 leave 2, 3, 6, 7 and every further eight: 2:2 between them, then 3:8 up to 24. */
  @Test
  void copiesLieInTheRoomThatTheBlockLeaves() {
    assertLines("""
        A = (2,2):(4,1) of size 4; B = 6:1 of cosize 6
        room for copies: A* = complement(A, 4·6) = (2,3):(2,8)
        beside A, its copies: A* ∘ B, that is
          A = (2,3):(2,8); B = 6:1
          leaf 6:1: A at 0,1,2,3,4,5 is 0,2,8,10,16,18, that is (2,3):(2,8), \
        cut after 2 where the multiples of 1 carry: A(2) is 8, not 2·2
          digit 0 of A, below 2: 1·1 + 2·0 = 1, no carry
          R = (2,3):(2,8), for …""", "logical_product((2,2):(4,1), 6:1)");
  }

  @Test
  void aTilerMultipliesModeByModeAndKeepsTheOthers() {
    var mode = """
        mode 0:
          A = 2:1 of size 2; B = 2:1 of cosize 2
          room for copies: A* = complement(A, 2·2) = 2:2
          beside A, its copies: A* ∘ B, that is
            A = 2:2; B = 2:1
            leaf 2:1: A at 0,1 is 0,2, that is 2:2
            R = 2:2, for …
        """;
    assertLines(mode + """
        mode 1:
          _ leaves 3:2 as it is
        modes behind the tiler's are kept""", "logical_product((2,3,5):(1,2,6), [2:1;_])");
    assertLines(mode + """
        modes behind the tiler's are kept
        regroup: ((blocks of all modes), (copies of all modes))""", "zipped_product((2,3):(1,2), [2:1])");
    assertLines(mode + """
        mode 1:
          _ leaves 3:2 as the rest beside a tile 1:0
        regroup: ((blocks of all modes), copies, copies, …""", "tiled_product((2,3):(1,2), [2:1;_])");
    assertLines(mode + """
        mode 1:
          _ leaves 3:2 as the rest beside a tile 1:0
        regroup: (block, block, …""", "flat_product((2,3):(1,2), [2:1;_])");
  }

  /** Room beside 0, 2, 4, 6 is 1, then 8 on: three copies do not lie at 0, 1, 8. */
  @Test
  void copiesThatTheRoomDoesNotTakeAreRefused() {
    assertLines("""
        A = 4:2 of size 4; B = 3:1 of cosize 3
        room for copies: A* = complement(A, 4·3) = (2,2):(1,8)
        beside A, its copies: A* ∘ B, that is
          A = (2,2):(1,8); B = 3:1
          leaf 3:1: …
        needed: …
        at mode 0
        found: …
        witness: at 2, index 2, 8 is demanded and 2 would be given""", "logical_product(4:2, 3:1)");
  }

  @Test
  void aBlockWithoutRoomIsRefused() {
    assertLines("""
        A = (2,3):(3,2) of size 6; B = 2:1 of cosize 2
        needed: …
        found: 6 does not divide 3 in …
        witness: at (1,0), index 1, 6 is demanded and 3 would be given""", "logical_product((2,3):(3,2), 2:1)");
  }

  @Test
  void aBlockedProductPairsEachModeWithItsCopies() {
    assertLines("""
        logical_product(A, B), that is
          A = (2,5):(5,1) of size 10; B = (3,4):(1,3) of cosize 12
          room for copies: A* = complement(A, 10·12) = 12:10
          beside A, its copies: A* ∘ B, that is
            A = 12:10; B = (3,4):(1,3)
            leaf 3:1: A at 0,1,2 is 0,10,20, that is 3:10
            leaf 4:3: A at 0,3,6,9 is 0,30,60,90, that is 4:30
            R = (3,4):(10,30), for …
        mode 0: (mode of A, copies) = (2,3):(5,10)
        mode 1: (mode of A, copies) = (5,4):(1,30)""", "blocked_product((2,5):(5,1), (3,4):(1,3))");
  }

  @Test
  void aRakedProductPutsTheCopiesFirst() {
    assertLines("""
        with modes 1:0 up to rank 2: A = (4,1):(1,0), B = (3,4):(1,3)
        logical_product(A, B), that is
          A = (4,1):(1,0) of size 4; B = (3,4):(1,3) of cosize 12
          room for copies: A* = complement(A, 4·12) = 12:4
          beside A, its copies: A* ∘ B, that is
            A = 12:4; B = (3,4):(1,3)
            leaf 3:1: A at 0,1,2 is 0,4,8, that is 3:4
            leaf 4:3: A at 0,3,6,9 is 0,12,24,36, that is 4:12
            R = (3,4):(4,12), for …
        mode 0: (copies, mode of A) = (3,4):(4,1)
        mode 1: (copies, mode of A) = (4,1):(12,0)""", "raked_product(4:1, (3,4):(1,3))");
  }

  @Test
  void aProductThatIsUndefinedPairsNothing() {
    assertLines("""
        logical_product(A, B), that is
          A = 4:2 of size 4; B = 3:1 of cosize 3
          room for copies: A* = complement(A, 4·3) = (2,2):(1,8)
          beside A, its copies: A* ∘ B, that is
            A = (2,2):(1,8); B = 3:1
            leaf 3:1: …
        needed: …
        at mode 0
        found: …
        witness: at (2), index 2, 8 is demanded and 2 would be given""", "blocked_product(4:2, 3:1)");
  }
}
