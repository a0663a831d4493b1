package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class BitEqualityTest {
  private static final String RUN = """
      {"date":"2026-01-02","gpu":"H200","commit":"0123456789abcdef",
       "functions":[{"function":"ex2.approx","operands":4294967296,"different":0,"hash":"0"}],
       "kernels":[{"kernel":"softmax","cases":81,"different":2}],
       "seeds":{"commit":"fedcba9876543210","rows":[{"kernel":"softmax","cases":3,"seeds":20,"different":0}]}}
      """;

  private static String tables(String json) {
    return BitEquality.tables(JsonMapper.shared().readTree(json));
  }

  @Test
  void aRecordedRunBecomesTwoTables() {
    assertEquals("""
        .Approximate functions: H200, 2026-01-02, commit 0123456789
        [cols="3,>2,>2"]
        |===
        |Function |Operands |Of other bits

        |`ex2.approx` |4,294,967,296 |0
        |===

        .Kernels: H200, 2026-01-02, commit 0123456789
        [cols="3,>2,>2"]
        |===
        |Kernel |Cases |Of other bits

        |`softmax` |81 |2
        |===

        .Under many seeds: H200, 2026-01-02, commit fedcba9876
        [cols="3,>2,>2,>2"]
        |===
        |Kernel |Cases |Seeds |Of other bits

        |`softmax` |3 |20 |0
        |===
        """, tables(RUN));
  }

  @Test
  void aRecordWithoutAFieldIsAFault() {
    assertThrows(IllegalArgumentException.class, () -> tables(RUN.replace("operands", "inputs")));
  }
}
