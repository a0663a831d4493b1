package tilewright.layout.expression;

import static tilewright.layout.expression.Explain.assertLines;

import org.junit.jupiter.api.Test;
import tilewright.layout.Dialect;

/** Derivations worked by hand. */
class InverseDerivationTest {

  @Test
  void aRightInverseFindsTheOffsetsOneAfterTheOther() {
    var lines = """
        offsets t·1 for t below 8 are at indices t·4: A(4) = 1
        offsets t·8 for t below 4 are at indices t·1: A(1) = 8
        R ends at offset 32: A(R(i)) is i for each i below 32""";
    assertLines(lines, "right_inverse((4,8):(8,1))");
    assertLines(lines, "right_inverse((4,8):(8,1))", Dialect.PYCUTE);
  }

  @Test
  void aRightInverseWithoutAModeIsOffsetZeroAlone() {
    assertLines("R ends at offset 1: A(R(i)) is i for each i below 1", "right_inverse(4:2)");
  }

  /** By stride, 3 is not where 2:1 ends; stride 0, the first, does not go on either. */
  @Test
  void pycutesEndsAtTheFirstModeThatDoesNotGoOn() {
    assertLines("""
        offsets t·1 for t below 2 are at indices t·1: A(1) = 1
        R ends at offset 2, where the next mode by stride does not go on: A(R(i)) is i for each i below 2""",
        "right_inverse((2,2):(1,3))", Dialect.PYCUTE);
    assertLines("R ends at offset 1, where the next mode by stride does not go on: A(R(i)) is i for each i below 1",
        "right_inverse((2,2):(0,1))", Dialect.PYCUTE);
  }

  @Test
  void aLeftInverseIsStatedOrRefused() {
    assertLines("L = (5,8):(1,4), for …", "left_inverse((4,8):(1,5))");
    assertLines("""
        needed: …
        found: …
        witness: at (0,1), index 2, 2 is demanded and 1 would be given""", "left_inverse((2,2):(1,1))");
  }

  @Test
  void aQuasiInverseSaysWhichIndicesShareAnOffset() {
    assertLines("""
        no left inverse: indices 1 and 2 have offset 1
        Q = (2,2):(1,3), for …""", "quasi_inverse((2,2):(1,1))");
    assertLines("Q = 4:1, for …", "quasi_inverse(4:1)");
  }

  @Test
  void whatTwoLayoutsShareEndsWhereTheyDisagreeOrOneEnds() {
    assertLines("""
        right inverses: A‡ = 16:1, B‡ = (2,4,2):(1,4,2)
        R = 2:1: A(R(i)) = B(R(i)) = i for each i below 2
        offset 2: A has it at index 2, B at index 4""", "max_common_layout(16:1, ((2,2),4):((1,8),2))");
    assertLines("""
        right inverses: A‡ = 8:1, B‡ = 16:1
        R = 8:1: A(R(i)) = B(R(i)) = i for each i below 8
        no longer: A‡ ends there""", "max_common_vector(8:1, 16:1)");
    assertLines("""
        right inverses: A‡ = 16:1, B‡ = 8:1
        R = 8:1: A(R(i)) = B(R(i)) = i for each i below 8
        no longer: B‡ ends there""", "max_common_vector(16:1, 8:1)");
  }
}
