package tilewright.layout.expression;

import static org.junit.jupiter.params.ParameterizedTest.ARGUMENTS_PLACEHOLDER;
import static tilewright.layout.expression.Explain.assertLines;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.Dialect;

/** Derivations worked by hand. */
class DivisionDerivationTest {

  @Test
  void aDivisionComposesWithTheTileAndItsRepetitions() {
    assertLines("""
        A = 24:1 of size 24; tile T = 4:2
        the tile's repetitions: T* = complement(T, 24) = (2,3):(1,8)
        A ∘ (T, T*), that is
          A = 24:1; B = (4,(2,3)):(2,(1,8))
          leaf 4:2: A at 0,2,4,6 is 0,2,4,6, that is 4:2
          leaf 2:1: A at 0,1 is 0,1, that is 2:1
          leaf 3:8: A at 0,8,16 is 0,8,16, that is 3:8
          R = (4,(2,3)):(2,(1,8)), for …""", "logical_divide(24:1, 4:2)");
  }

  @Test
  void aTilerDividesModeByModeAndKeepsTheOthers() {
    assertLines("""
        mode 0:
          A = 4:13 of size 4; tile T = 2:1
          the tile's repetitions: T* = complement(T, 4) = 2:2
          A ∘ (T, T*), that is
            A = 4:13; B = (2,2):(1,2)
            leaf 2:1: A at 0,1 is 0,13, that is 2:13
            leaf 2:2: A at 0,2 is 0,26, that is 2:26
            R = (2,2):(13,26), for …
        mode 1:
          _ leaves 8:1 as it is
        modes behind the tiler's are kept""", "logical_divide((4,8,3):(13,1,100), [2;_])");
  }

  @ParameterizedTest(name = ARGUMENTS_PLACEHOLDER)
  @CsvSource(delimiter = '|', textBlock = """
      zipped_divide | ((tiles of all modes), (rests of all modes))
      tiled_divide  | ((tiles of all modes), rest, rest, …)
      flat_divide   | (tile, tile, …, rest, rest, …)
      """)
  void theOtherDivisionsRegroupIt(String name, String modes) {
    assertLines("""
        mode 0:
          _ leaves 4:13 as the rest beside a tile 1:0
        mode 1:
          A = 8:1 of size 8; tile T = 8:1
          the tile's repetitions: T* = complement(T, 8) = 1:0
          A ∘ (T, T*), that is
            A = 8:1; B = (8,1):(1,0)
            leaf 8:1: A at 0,1,2,3,4,5,6,7 is 0,1,2,3,4,5,6,7, that is 8:1
            leaf 1:0: A at 0 is 0, that is 1:0
            R = (8,1):(1,0), for …
        regroup:\s""" + modes, name + "((4,8):(13,1), [_;8])");
  }

  @Test
  void aDialectMayRefuseAFreeModeWhereModesAreRegrouped() {
    assertLines("""
        _ leaves (4,8):(13,1) alone, which this dialect refuses
        needed: …
        found: got _""", "zipped_divide((4,8):(13,1), _)", Dialect.CUTE_DSL);
  }

  @Test
  void aTileWithoutRepetitionsIsRefused() {
    assertLines("""
        A = 6:1 of size 6; tile T = (2,3):(3,2)
        needed: …
        found: 6 does not divide 3 in …
        witness: at (1,0), index 1, 6 is demanded and 3 would be given""", "logical_divide(6:1, (2,3):(3,2))");
  }

  /** Three tiles of 4 cover 10 and reach index 11, which a strict dialect refuses. */
  @Test
  void anOverhangIsRefusedInAStrictDialectOnly() {
    var common = """
        A = 10:1 of size 10; tile T = 4:1
        the tile's repetitions: T* = complement(T, 10) = 3:4
        A ∘ (T, T*), that is
          A = 10:1; B = (4,3):(1,4)
          leaf 4:1: A at 0,1,2,3 is 0,1,2,3, that is 4:1
          leaf 3:4: A at 0,4,8 is 0,4,8, that is 3:4
        """;
    assertLines(common + "  R = (4,3):(1,4), for …", "logical_divide(10:1, 4)");
    assertLines(common + """
        needed: …
        found: its coordinate (3,2) has offset 11, outside 0…9 in …
        witness: at (3,2), index 11, 9 is demanded and 11 would be given""", "logical_divide(10:1, 4)",
        Dialect.CUTE_CPP.with(Dialect.Domain.STRICT));
  }
}
