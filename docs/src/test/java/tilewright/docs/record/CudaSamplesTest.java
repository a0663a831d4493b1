package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CudaSamplesTest {
  private static final String RECORD = """
      {"date":"2026-01-02","command":"cuda","repository":"samples","revision":"0123456789abcdef","compiler":"nvcc 13",
       "rules":{"library":"A library"},
       "rows":[{"sample":"0_Introduction/a","result":"passed","seconds":1.2,"options":"--devices 2"},
               {"sample":"0_Introduction/b","result":"failed","remark":"takes too long"},
               {"sample":"0_Introduction/c","result":"passed","seconds":30,"remark":"asserts"},
               {"sample":"4_CUDA_Libraries/d","leftOut":"library","needs":"cuBLAS"}]}
      """;

  private static JsonNode record(String json) {
    return JsonMapper.shared().readTree(json);
  }

  @Test
  void samplesOnTheListHaveAResultAndTheOthersARule() {
    assertEquals("Of the 3 samples on the list 2 pass their own check (66.7 %).",
        CudaSamples.count(record(RECORD)));
    assertEquals("""
        .cuda: samples of samples at 0123456789, built by nvcc 13, 2026-01-02
        [cols="3,1,>1,5"]
        |===
        |Sample |Check |Seconds |Remarks

        |`0_Introduction/a` |passes |2 |`+--devices 2+`
        |`0_Introduction/b` |fails | |takes too long
        |`0_Introduction/c` |passes |30 |asserts
        |===

        .Left out
        [cols="1,6"]
        |===
        |Needs |Samples

        |A library
        |`4_CUDA_Libraries/d` (cuBLAS)

        |===
        """, CudaSamples.tables(record(RECORD)));
  }

  @Test
  void aRowWithoutARuleOrAReasonIsAFault() {
    for (var bad : new String[] {RECORD.replace("leftOut\":\"library", "leftOut\":\"slow"),
        RECORD.replace(",\"remark\":\"takes too long\"", ""), RECORD.replace("\"failed\"", "\"skipped\"")}) {
      assertThrows(IllegalArgumentException.class, () -> CudaSamples.tables(record(bad)));
    }
  }
}
