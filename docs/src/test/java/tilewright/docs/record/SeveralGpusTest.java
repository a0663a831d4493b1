package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import tilewright.docs.chart.Chart;
import tools.jackson.databind.json.JsonMapper;

class SeveralGpusTest {
  @Test
  void attentionStandsBesideTheBetterWayOfPyTorchAndPerfectScaling() {
    // 6000 TFLOP·ms: 600 TFLOP/s in 10 ms, 400 in PyTorch's 15, and 750 if two GPUs took half of one GPU's 16 ms.
    var record = """
        {"gpus": 2, "rows": [
          {"kernel": "attention", "config": "1×64×8", "way": "ring", "speedup": 1.6, "ms": 10, "teraflops": 600},
          {"kernel": "attention", "config": "1×64×8", "way": "all_gather", "speedup": 1.8, "ms": 9, "teraflops": 660},
          {"kernel": "attention_backward", "config": "1×64×8", "way": "ring", "speedup": 1.6, "ms": 25,
            "teraflops": 500}],
         "peers": {"rows": [
          {"config": "1×64×8", "ms": 20, "backwardMs": 30},
          {"config": "1×64×8", "ms": 15, "backwardMs": 31},
          {"config": "1×128×8", "ms": 1, "backwardMs": 1}]}}""";
    var chart = SeveralGpus.attention("name", "title", "attention", "ms",
        List.of(JsonMapper.shared().readTree(record)));
    assertEquals(1, chart.groups().size());
    var group = chart.groups().getFirst();
    assertEquals("2 GPUs, 64 tokens", group.label());
    assertEquals(Map.of("Tilewright", 600.0, "PyTorch, context_parallel", 400.0), group.values());
    assertEquals(OptionalDouble.of(750), group.floor());
  }

  @Test
  void peersInTheRoundsOfARowAreItsOwn() {
    var record = """
        {"gpus": 2, "rows": [
          {"kernel": "attention", "config": "1×64×8", "way": "ring", "speedup": 1.6, "ms": 10, "teraflops": 600,
            "peers": {"ms": {"allgather": 15, "alltoall": 20}}}],
         "products": [
          {"kernel": "all_gather_gemm", "config": "8×8×8", "gemmMs": 4, "ms": 5, "ncclMs": 10, "teraflops": 100,
            "peers": {"ms": {"fused": 8, "nccl": 7}}}]}""";
    var records = List.of(JsonMapper.shared().readTree(record));
    assertEquals(400.0, SeveralGpus.attention("name", "title", "attention", "ms", records).groups().getFirst().values()
        .get("PyTorch, context_parallel"));
    assertEquals(62.5, SeveralGpus.gemms(records).groups().getFirst().values().get("PyTorch, fused"));
  }

  @Test
  void weakScalingStandsBesideAsManyTimesOneGpu() {
    var record = """
        {"gpus": 4, "rows": [
          {"kernel": "attention", "way": "all_gather", "speedup": 3.2, "teraflops": 800},
          {"kernel": "attention_backward", "way": "ring", "speedup": 4, "teraflops": 700}]}""";
    var groups = SeveralGpus.weak(JsonMapper.shared().readTree(record)).groups();
    assertEquals(List.of("all-gather", "gradients"), groups.stream().map(Chart.Group::label).toList());
    assertEquals(OptionalDouble.of(1000), groups.getFirst().floor());
    assertEquals(OptionalDouble.of(700), groups.getLast().floor());
  }

  @Test
  void gemmsStandBesideTheGemmAloneAndNccl() {
    var record = """
        {"gpus": 4, "products": [
          {"kernel": "all_gather_gemm", "config": "8×8×8", "gemmMs": 4, "ms": 5, "ncclMs": 10, "teraflops": 100}],
         "peers": {"rows": [{"kernel": "all_gather_gemm", "fusedMs": 8},
          {"kernel": "gemm_reduce_scatter", "fusedMs": 1}]}}""";
    var group = SeveralGpus.gemms(List.of(JsonMapper.shared().readTree(record))).groups().getFirst();
    assertEquals("4 GPUs, all gather gemm", group.label());
    assertEquals(Map.of("Tilewright", 100.0, "PyTorch, fused", 62.5, "NCCL, then GEMM", 50.0), group.values());
    assertEquals(OptionalDouble.of(125), group.floor());
  }
}
