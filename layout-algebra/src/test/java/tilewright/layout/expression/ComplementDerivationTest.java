package tilewright.layout.expression;

import static tilewright.layout.expression.Explain.assertLines;

import org.junit.jupiter.api.Test;
import tilewright.layout.Dialect;

/** Derivations worked by hand: sorted by stride, each mode begins where the one before it ends. */
class ComplementDerivationTest {

  @Test
  void modesAndGapsMakeOneChain() {
    assertLines("""
        mode 4:1 begins at 1, reaches 4
        gap  2:4 begins at 4, reaches 8
        mode 2:8 begins at 8, reaches 16
        gap  4:16 begins at 16, reaches 64
        mode 8:64 begins at 64, reaches 512
        gap  2:512 begins at 512, reaches 1024
        the gaps are (2,4,2):(4,16,512)
        …""", "complement((2,4,8):(8,1,64), 1024)");
  }

  @Test
  void repeatedOffsetsAreLeftOutFirst() {
    assertLines("""
        without strides 0, coalesced: 2:1
        mode 2:1 begins at 1, reaches 2
        gap  2:2 begins at 2, reaches 4
        the gaps are 2:2
        …""", "complement((2,2):(0,1), 4)");
  }

  /** Without a bound there are only gaps between offsets; here there is none. */
  @Test
  void whereThereIsNoGapTheDialectSaysWhatIsEmpty() {
    assertLines("""
        mode 4:1 begins at 1, reaches 4
        the gaps are 1:0
        …""", "complement(4:1)");
    assertLines("""
        mode 4:1 begins at 1, reaches 4
        the gaps are 1:4
        …""", "complement(4:1)", Dialect.CUTE_DSL);
  }

  /** 3 lies inside the second copy of 0, 2, 4. */
  @Test
  void offTheChainThereIsNone() {
    assertLines("""
        needed: …
        found: 6 does not divide 3
        witness: at (1,0), index 1, 6 is demanded and 3 would be given""", "complement((2,3):(3,2), 12)");
  }
}
