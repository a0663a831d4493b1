package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.docs.source.BrokenSiteException;

class WitnessesTest {
  private static final List<String> RECORDED = List.of("sum/out 12", "sum.other/out 34", "summary/out 56");

  @Test
  void aRowSaysWhatTheSourceSaysAndCountsItsRecords() {
    assertEquals("|`sum.cu` |sm_90a |Adds up all there is. |2\n",
        Witnesses.row("sum", List.of("// Adds up", "// all there is.", "int x;", "// no."),
            ".version 9.0\n.target sm_90a\n", RECORDED));
    assertEquals("|`none.cu` |sm_100a |Adds. |–\n",
        Witnesses.row("none", List.of("// Adds."), ".target sm_100a\n", RECORDED));
  }

  @Test
  void aSourceWithoutACommentIsAFault() {
    assertThrows(BrokenSiteException.class, () -> Witnesses.row("sum", List.of("int x;"), ".target sm_90a", RECORDED));
    assertThrows(BrokenSiteException.class, () -> Witnesses.row("sum", List.of("// It."), "", RECORDED));
  }
}
