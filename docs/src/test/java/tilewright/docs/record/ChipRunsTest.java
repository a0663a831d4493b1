package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ChipRunsTest {
  private static final String RUN = """
      {"date":"2026-01-02","commit":"0123456789abcdef","assembler":"ptxas 13.0","command":"verify --chip",
       "chips":[{"chip":"b300","target":"sm_103a","kernels":[
         {"kernel":"softmax","passed":5,"spilled":0,"spillBytes":0,"failed":0,"skipped":1},
         {"kernel":"attention","passed":7,"spilled":2,"spillBytes":4,"failed":1,"skipped":0}]}]}
      """;

  private static String table(String json) {
    return ChipRuns.table(JsonMapper.shared().readTree(json));
  }

  @Test
  void aRecordedRunBecomesARowAndNamesWhatSpills() {
    assertEquals("""
        .verify --chip, assembled by ptxas 13.0, 2026-01-02, commit 0123456789
        [cols="2,2,>1,>2,>1,>2,>1,>1"]
        |===
        |GPU |Target |Kernels |Configurations assembled |With spills |Cases simulated |Failed |Skipped

        |b300 |`sm_103a` |2 |14 |2 |12 |1 |1
        |===

        Kernels with configurations that spill:

        * b300: `attention` (2, at most 4 bytes)
        """, table(RUN));
  }

  @Test
  void aRecordWithoutAFieldIsAFault() {
    assertThrows(IllegalArgumentException.class, () -> table(RUN.replace("skipped", "left")));
  }
}
