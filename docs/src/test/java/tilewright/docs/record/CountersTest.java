package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CountersTest {
  private static final String RUN = """
      {"gpu":"H200","date":"2026-01-02","versions":{"ncu":"1.0"},"kernels":[
        {"kernel":"gemm","program":"tilewright","config":"64x64","grid":[132,1,1],"counters":{
          "gpu__time_duration.sum":0.00125,"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed":97.4,
          "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed":24.6,
          "smsp__issue_active.avg.pct_of_peak_sustained_active":11,
          "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active":0.2}},
        {"kernel":"row_kernel","program":"triton","config":"rows","grid":[2097152,1,1],"counters":{
          "gpu__time_duration.sum":0.0008,"sm__warps_active.avg.pct_of_peak_sustained_active":35.2,
          "dram__bytes_read.sum":6e8,"dram__bytes_write.sum":2.1e9,"sass__inst_executed_register_spilling":28.6e6}}]}
      """;

  @Test
  void theFirstTableHasOurKernelsAndTheSecondThoseWithAPeer() {
    var limits = Counters.limits(run(RUN));
    assertTrue(limits.contains("|`gemm`, 64x64 |1.250 |97 % |25 % |11 % |0 %"), limits);
    assertEquals(-1, limits.indexOf("row_kernel"), limits);
    var beside = Counters.beside(run(RUN));
    assertTrue(beside.contains("|rows |Triton |0.80 |2,097,152 |35 % |2.70 |29"), beside);
    assertEquals(-1, beside.indexOf("64x64"), beside);
  }

  @Test
  void aMissingCounterIsNamed() {
    var thrown = assertThrows(IllegalArgumentException.class, () -> Counters.limits(run(RUN.replace("xu.avg", "uv"))));
    assertTrue(thrown.getMessage().contains("sm__inst_executed_pipe_xu"), thrown.getMessage());
  }

  private static JsonNode run(String text) {
    return JsonMapper.shared().readTree(text);
  }
}
