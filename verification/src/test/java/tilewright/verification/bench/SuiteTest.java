package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.TimedProblem;
import tilewright.ptx.Launch;

class SuiteTest {
  private static final KernelRegistry REGISTRY = KernelRegistry.builtIn();
  private static final Suite SUITE =
      new Suite(REGISTRY, new Benchmark.Options(List.of(), Map.of(), false, 256, 0, Optional.empty(), "0"));

  @Test
  void everyProblemHasATensorForEveryBufferOfItsLaunch() {
    assertFalse(SUITE.names().isEmpty());
    for (var name : SUITE.names()) {
      for (var problem : SUITE.of(name).subList(0, 1)) {
        var measured = problem.get();
        var tensors = measured.tensors().stream().map(TimedProblem.Tensor::name).collect(Collectors.toSet());
        measured.launches().workspace().forEach(part -> tensors.add(part.name()));
        for (var launch : measured.launches().launches()) {
          launch.scratch().forEach(part -> tensors.add(part.name()));
          for (var argument : launch.arguments()) {
            if (argument instanceof Launch.Argument.Buffer b) assertTrue(tensors.contains(b.name()), measured.config());
          }
        }
        assertEquals(name, measured.kernel());
        assertTrue(measured.bytes() > 0, measured.config());
      }
    }
  }

  private static List<TimedProblem> problems(String kernel, Map<String, String> settings, boolean every) {
    var options = new Benchmark.Options(List.of(kernel), settings, every, 256, 0, Optional.empty(), "0");
    return new Suite(REGISTRY, options).of(kernel).stream().map(Supplier::get).toList();
  }

  @Test
  void aFamilyIsMeasuredInEveryElementType() {
    var configs = problems("relu", Map.of(), false).stream().map(TimedProblem::config).toList();
    assertEquals(3, configs.size(), configs.toString());
    for (var type : List.of("f32", "f16", "bf16")) {
      assertEquals(1, configs.stream().filter(c -> c.contains("dtype=" + type)).count(), configs.toString());
    }
  }

  @Test
  void settingsNarrowTheChoiceAndEveryVariantWidensIt() {
    assertEquals(1, problems("relu", Map.of("dtype", "bf16"), false).size());
    assertTrue(problems("relu", Map.of("dtype", "bf16"), true).size() > 1);
    assertEquals(1, problems("relu", Map.of("dtype", "bf16", "vec", "1"), false).size());
  }

  @Test
  void valuesWithCommasAreTriedInTurnAndTuningsInEveryCombination() {
    assertEquals(2, problems("softmax", Map.of("dtype", "f32,bf16", "n", "4096"), false).size());
    var configs = problems("softmax", Map.of("dtype", "f32", "n", "128,256", "lanes", "8,16", "each", "1,2"), false)
        .stream().map(TimedProblem::config).collect(Collectors.toSet());
    assertEquals(8, configs.size());
    assertTrue(configs.contains("m=2097152 n=128 dtype=f32 method=online lanes=8 each=2"), configs.toString());
  }

  @Test
  void aKernelWithoutTheSettingIsMeasuredAsItIs() {
    assertEquals(2, problems("sgemm", Map.of("dtype", "bf16"), false).size());
  }

  @Test
  void settingsThatLeaveNothingAreRefused() {
    for (var setting : List.of("dtype", "luck")) {
      var options = new Benchmark.Options(List.of("relu"), Map.of(setting, "no"), false, 1, 0, Optional.empty(), "");
      assertThrows(IllegalArgumentException.class, () -> new Suite(REGISTRY, options).requireProblems());
    }
  }

  @Test
  void anElementwiseKernelMovesInputAndOutputOnce() {
    var relu = problems("relu", Map.of("dtype", "bf16"), false).getFirst();
    assertEquals(2L * 2 * relu.tensors().getFirst().elements(), relu.bytes());
  }

  /** Only what a kernel adds to has to be made zeros before each run; its own counters it leaves as it found them. */
  @Test
  void onlyOutputsThatAreAddedToAreSetInEveryRun() {
    assertEquals(Map.of(), zeros("sum"));
    assertEquals(Map.of("Y", new TimedProblem.Content.Zeros()), zeros("histogram"));
  }

  private static Map<String, TimedProblem.Content> zeros(String kernel) {
    return problems(kernel, Map.of(), false).getFirst().tensors().stream()
        .filter(t -> t.content() instanceof TimedProblem.Content.Zeros)
        .collect(Collectors.toMap(TimedProblem.Tensor::name, TimedProblem.Tensor::content));
  }

  @Test
  void additionMovesTwoInputsAndOneOutput() {
    assertEquals(3L * 4 * (1 << 28), SUITE.of("vector_add").getFirst().get().bytes());
  }

  @Test
  void productsCountTwoOperationsAMultiplication() {
    assertEquals(2.0 * 256 * 256 * 256, SUITE.of("sm80_gemm").getFirst().get().operations());
    // Four pairs of types in four orders.
    assertEquals(16, SUITE.of("sm80_gemm").size());
  }

  @Test
  void everyStepOfTheLadderIsMeasuredInEveryShape() {
    var configs = problems("sm90_ladder", Map.of("step", "1,5", "shape", "128x256x512,256x256x256"), false).stream()
        .map(problem -> problem.config().replaceAll(":.*", "")).toList();
    assertEquals(List.of("128x256x512 step 1", "128x256x512 step 5", "256x256x256 step 1", "256x256x256 step 5"),
        configs);
  }

  @Test
  void attentionOfCodesHasFactorsAndResultsOf16Bits() {
    var problem = problems("sm90_attention", Map.of("dtype", "e4m3", "out", "f16", "d", "128", "s", "32768", "b", "1",
        "heads", "64", "share", "8", "causal", "true"), false).getFirst();
    assertEquals("e4m3->f16 B=1 S=32768 H=64 Hk=8 D=128 causal", problem.config());
    var bytes = problem.tensors().stream().collect(Collectors.toMap(TimedProblem.Tensor::name,
        TimedProblem.Tensor::bytes));
    assertEquals(64L * 32768 * 128, bytes.get("Q"));
    assertEquals(8L * 32768 * 128, bytes.get("V"));
    assertEquals(2L * 64 * 32768 * 128, bytes.get("O"));
    assertEquals(4L * 64, bytes.get("descaleQ"));
    assertEquals(4L * 8, bytes.get("descaleK"));
    assertEquals(2.0 * 64 * 32768 * 32768 * 128, problem.operations());
    assertEquals("f16", problem.peer().get("out"));
  }

  /** Rows of K, which V has too, count once; a warpgroup's 64 rows or more per key keep tensor cores busy. */
  @Test
  void latentAttentionCountsRowsOrOperations() {
    var few = problems("sm90_mla_decode", Map.of("b", "2", "heads", "16", "s", "8192", "lengths", "full"), false)
        .getFirst();
    assertEquals("bf16 B=2 Sq=1 S=8192 H=16 D=576/512 pages of 64", few.config());
    assertEquals(2 * (8192 * 576 + 16 * (576 + 512)) * 2 + 2 * 16 * 4, few.bytes());
    assertEquals(0, few.operations());
    var many = problems("sm90_mla_decode", Map.of("b", "2", "heads", "128", "s", "8192"), false).getFirst();
    assertEquals(2.0 * 2 * 8192 * 128 * (576 + 512), many.operations());
  }

  /** The cache has all rows, of which each query reads those that it has chosen. */
  @ParameterizedTest
  @ValueSource(strings = {"sm90_mla_decode", "sm80_mla_decode"})
  void chosenTokensOfLatentAttentionCountOnceForEachQuery(String kernel) {
    var chosen = Map.of("b", "2", "q", "3", "heads", "16", "s", "8192", "topk", "2048");
    var problem = problems(kernel, chosen, false).getFirst();
    assertEquals("bf16 B=2 Sq=3 S=8192 H=16 D=576/512 top 2048 in pages of 64", problem.config());
    assertEquals(2 * 3 * ((2048 * 576 + 16 * (576 + 512)) * 2 + 16 * 4), problem.bytes());
    assertEquals(2 * 8192 * 576 * 2, problem.tensors().stream().filter(t -> t.name().equals("K")).findFirst()
        .orElseThrow().bytes());
    assertEquals("invalid topk=9000 of 8192 tokens in pages of 64: needed are 8192 or fewer, in whole pages",
        assertThrows(IllegalArgumentException.class, () -> problems("sm90_mla_decode", Map.of("s", "8192", "topk",
            "9000"), false)).getMessage());
  }

  @Test
  void attentionHasTheLengthsThatItIsAskedFor() {
    assertEquals(List.of("bf16 B=5 S=3000 H=16 D=128"), problems("sm90_attention", Map.of("d", "128", "s", "3000",
        "causal", "false"), false).stream().map(TimedProblem::config).toList());
    assertEquals(36, SUITE.of("sm90_attention").size());
    var wrong = Map.of("out", "f16", "d", "64");
    assertEquals("no attention of bf16 stores f16: leave out=f16 out",
        assertThrows(IllegalArgumentException.class, () -> problems("sm90_attention", wrong, false)).getMessage());
  }

  @Test
  void smallTensorsComeInManySets() {
    assertEquals(1, DeviceInputs.sets(1L << 30, 50 << 20));
    assertEquals(4, DeviceInputs.sets(64 << 20, 50 << 20));
    assertEquals(8, DeviceInputs.sets(64 << 20, 128 << 20));
    assertEquals(64, DeviceInputs.sets(4, 50 << 20));
  }
}
