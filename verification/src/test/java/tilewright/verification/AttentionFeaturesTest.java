package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.library.AttentionBackwardKernels;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;

/** {@code verify} has a case, small enough for the simulator, of every feature that an attention kernel supports. */
class AttentionFeaturesTest {
  private static final List<AttentionKernel> KERNELS = List.of(new Sm80AttentionKernel(), new Sm90AttentionKernel(),
      new Sm100AttentionKernel());
  private static final int FEW = 8;
  private static final Map<String, List<String>> REFUSED = Map.of("sm100_attention", List.of("head dimension 256"),
      "sm100_attention_backward", List.of("head dimension 192", "head dimension 256",
          "head dimensions of keys and values apart"));

  private static Map<String, Predicate<AttentionProblem>> features() {
    var all = new LinkedHashMap<String, Predicate<AttentionProblem>>();
    all.put("full", p -> p.band().isAll());
    all.put("causal", p -> p.band().equals(Band.CAUSAL));
    all.put("window", p -> p.band().left().isPresent());
    all.put("heads that share keys", p -> p.sizes().heads() > p.sizes().keyHeads() && p.sizes().queries() > 2 * FEW);
    all.put("heads that share keys, few queries", p -> p.sizes().heads() > p.sizes().keyHeads()
        && p.sizes().queries() <= FEW && p.packed().isEmpty());
    all.put("packed sequences", p -> p.packed().isPresent());
    all.put("packed sequences of heads that share keys",
        p -> p.packed().isPresent() && p.sizes().heads() > p.sizes().keyHeads());
    all.put("Q, K and V in one tensor", p -> p.q().buffer().equals(p.k().buffer()));
    all.put("each head by itself", p -> p.sizes().heads() > 1 && p.q().head() > p.q().sequence());
    all.put("logarithms", p -> p.lse().isPresent());
    all.put("no logarithms", p -> p.lse().isEmpty());
    all.put("function of scores", p -> p.modification().score().isPresent());
    all.put("mask", p -> p.modification().mask().isPresent());
    all.put("lists of blocks", AttentionProblem::blockMask);
    all.put("captured tensors", p -> !p.modification().captures().tensors().isEmpty());
    all.put("bf16", p -> p.type() == ElementType.BF16);
    all.put("f16", p -> p.type() == ElementType.F16);
    all.put("more keys than queries", p -> p.sizes().keys() > p.sizes().queries());
    all.put("more queries than keys", p -> p.sizes().keys() < p.sizes().queries());
    all.put("head dimensions of keys and values apart", p -> p.sizes().headDim() != p.sizes().valueDim());
    for (int dim : new int[] {32, 64, 96, 128, 192, 256}) {
      all.put("head dimension " + dim, p -> p.sizes().headDim() == dim);
    }
    return all;
  }

  @TestFactory
  Stream<DynamicTest> everyFeatureIsVerifiedOnEveryArchitecture() {
    return KERNELS.stream().flatMap(kernel -> {
      var cases = AttentionCases.small().stream().filter(s -> kernel.refusal(s.problem()).isEmpty()).toList();
      return features().entrySet().stream()
          .filter(feature -> !REFUSED.getOrDefault(kernel.name(), List.of()).contains(feature.getKey()))
          .map(feature -> DynamicTest.dynamicTest(kernel.name() + ": " + feature.getKey(),
              () -> assertTrue(cases.stream().anyMatch(s -> feature.getValue().test(s.problem())))));
    });
  }

  @TestFactory
  Stream<DynamicTest> everyFeatureOfGradientsIsVerifiedOnEveryArchitecture() {
    return AttentionBackwardKernels.builtIn().all().stream().flatMap(kernel -> {
      var cases = AttentionBackwardCases.small().stream().map(AttentionBackwardCases.Setup::problem)
          .filter(p -> kernel.refusal(p).isEmpty()).toList();
      var refused = new HashSet<>(REFUSED.getOrDefault(kernel.name(), List.of()));
      refused.add("no logarithms");
      return Stream.concat(
          features().entrySet().stream().filter(feature -> !refused.contains(feature.getKey()))
              .map(feature -> DynamicTest.dynamicTest(kernel.name() + ": " + feature.getKey(),
                  () -> assertTrue(cases.stream().anyMatch(p -> feature.getValue().test(p.forward()))))),
          Stream.of(false, true).map(fixed -> DynamicTest.dynamicTest(kernel.name() + ": deterministic " + fixed,
              () -> assertTrue(cases.stream().anyMatch(p -> p.deterministic() == fixed)))));
    });
  }

  @Test
  void whatIsLeftOutIsRefused() {
    var wide = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 8, 8, 1, 256));
    assertTrue(new Sm100AttentionKernel().refusal(wide).isPresent());
  }
}
