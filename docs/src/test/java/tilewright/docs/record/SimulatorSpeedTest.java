package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class SimulatorSpeedTest {
  private static final String RUN = """
      {"date":"2026-01-02","processor":"EPYC","java":"25","vectors":true,"commit":"0123456789abcdef",
       "coldStartMs":612.4,
       "clocked":[{"kernel":"wgmma_gemm","config":"1024","threads":2,"seconds":[2.5,0.875,1.0],
                   "cpuSeconds":[4.0,1.5,1.75],"sanitizedSeconds":3.0,"load":0.25}],
       "rows":[{"kernel":"sm80_gemm","config":"512","instructions":5,"ms":1.5,"instructionsPerSecond":0.05,
                "macPerSecond":1.234,"sanitizerRatio":2.04,"usPerCta":100.4,"usPerCtaOfQuarter":99.6,"ratio":0.9123,
                "ratioSpread":[0.8004,1.0]}]}
      """;

  private static String table(String json) {
    return SimulatorSpeed.table(JsonMapper.shared().readTree(json));
  }

  @Test
  void aRecordedRunBecomesATable() {
    assertEquals("""
        .One core of EPYC, Java 25, Vector API, 2026-01-02, commit 0123456789
        [cols="2,2,>2,>1,>2,>1,>1,>2"]
        |===
        |Kernel |Size |10^9^ thread instructions/s |10^9^ MAC/s |Sanitizer costs |µs a CTA \
        |of a quarter of the grid |MAC per instruction of `naive_gemm`

        |`sm80_gemm` |512 |0.05 |1.23 |2.0× |100 |100 |0.912 (0.800 to 1.000)
        |===

        .By the clock on EPYC, Java 25, Vector API, 2026-01-02, commit 0123456789
        [cols="2,2,>1,>1,>1,>1,>2,>2,>1"]
        |===
        |Kernel |Size |Threads |Runs |First, s |Least, s |All, s |All, CPU s |Load

        |`wgmma_gemm` |1024 |2 |3 |2.50 |0.88 |4.4 |7.3 |0.3
        |===

        Cold start of `sim` on a small launch: 612 ms.

        """, table(RUN));
  }

  @Test
  void aKernelThatIsComparedWithNothingHasNoRatio() {
    var alone = table(RUN.replace("0.9123", "null").replace("[0.8004,1.0]", "null"));
    assertTrue(alone.contains("|100 |100 |\n"), alone);
    var older = table(RUN.replace("\"ratio\"", "\"unknown\""));
    assertTrue(older.contains("|100 |100 |\n"), older);
  }

  @Test
  void aRecordWithoutAFieldIsAFault() {
    assertThrows(IllegalArgumentException.class, () -> table(RUN.replace("macPerSecond", "mac")));
    assertThrows(IllegalArgumentException.class, () -> table(RUN.replace("cpuSeconds", "cpu")));
  }
}
