package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.verification.golden.GoldenReport;
import tilewright.verification.golden.JudgedRecord;
import tilewright.verification.golden.Outcome;

class GoldenTest {
  private static final JudgedRecord RIGHT = new JudgedRecord("0", "coalesce", "pycute", "ok", "{\"a\":\"4:1\"}", "4:1",
      Outcome.AGREED, "4:1", "4:1", false);
  private static final JudgedRecord WRONG = new JudgedRecord("1", "composition", "pycute", "wrong",
      "{\"a\":\"(6,2):(1,7)\",\"b\":\"(3,2):(2,3)\"}", "(3,2):(2,3)", Outcome.REFUSED, "a refusal", "no layout", true);

  @Test
  void countsStandByOracleAndOperation() {
    assertEquals("""
        .pycute
        [cols="3,>1,>1,>1,>1,>1"]
        |===
        |Operation |Records |Agreed |Refused |Dialect |Mismatches

        |`coalesce` |1 |1 |0 |0 |0
        |`composition` |1 |0 |1 |0 |0
        |together |2 |1 |1 |0 |0
        |===

        In all 2 records: 1 agreed, 1 refused, 0 dialect, 0 mismatches.
        """, Golden.counts(new GoldenReport(List.of(RIGHT, WRONG))));
  }

  @Test
  void wrongAnswersStandBesideOurs() {
    assertEquals("""
        [cols="2,2,>1,4,3,4"]
        |===
        |By |Operation |Records |Of |Answers |Ours

        |pycute |`composition` |1 |`+a = (6,2):(1,7), b = (3,2):(2,3)+` |`+(3,2):(2,3)+` |refused: `+no layout+`
        |===
        """, Golden.wrong(List.of(WRONG)));
  }
}
