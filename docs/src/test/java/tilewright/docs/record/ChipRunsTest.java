package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ChipRunsTest {
  private static final String RUN = """
      {"chips":[{"chip":"b300","date":"2026-01-02","commit":"0123456789abcdef","assembler":"ptxas 13.0","kernels":[
         {"kernel":"softmax","passed":5,"failed":0,"skipped":1,
          "configurations":9,"texts":4,"spilling":0,"spillBytes":0},
         {"kernel":"attention","passed":7,"failed":1,"skipped":0,
          "configurations":8,"texts":8,"spilling":2,"spillBytes":4},
         {"kernel":"sm90_gemm","passed":0,"failed":0,"skipped":3}]},
       {"chip":"a100","date":"2026-01-03","commit":"fedcba9876543210","assembler":"ptxas 13.0","kernels":[
         {"kernel":"softmax","passed":5,"failed":0,"skipped":1}]}]}
      """;

  private static String table(String json) {
    return ChipRuns.table(JsonMapper.shared().readTree(json));
  }

  @Test
  void aRecordedRunBecomesARowAndNamesWhatSpills() {
    assertEquals("""
        [cols="2,2,>1,>2,>2,>2,>1,>1,2"]
        |===
        |GPU |Target |Kernels |Cases simulated |Configurations |Assembled |Spill |Failed |Commit

        |b300 |`sm_103a` |2 |13 |17 |12 |2 |1 |`0123456789`, 2026-01-02
        |a100 |`sm_80` |1 |5 |- |- |- |0 |`fedcba9876`, 2026-01-03
        |===

        Kernels with configurations that spill:

        * b300: `attention` (2 of 8, at most 4 bytes)
        """, table(RUN));
  }

  @Test
  void aRecordWithoutAFieldIsAFault() {
    assertThrows(IllegalArgumentException.class, () -> table(RUN.replace("passed", "left")));
  }
}
