package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionFactors.TensorCores;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.ColumnMajorValues;
import tilewright.verification.cases.QuantizedAttention;

/**
 * The check of attention of 8-bit codes: the definition, computed from the buffers in FP64 with its own addresses,
 * passes on every problem, and every mistake fails.
 */
class QuantizedAttentionTest {
  private static final long SEED = 5;
  /** Keys of a block, of which a problem has some more than a multiple. */
  private static final int BLOCK = 64;

  static List<AttentionCases.Setup> setups() {
    var byColumns = ColumnMajorValues.small().stream()
        .filter(s -> s.problem().quantized().isPresent() && !s.problem().blockScaled());
    return LongSuite.of(Stream.concat(QuantizedAttention.small().stream(), byColumns)
        // The definition below has logarithms only.
        .filter(s -> !s.problem().blockMask() && s.problem().apart().isEmpty()).toList());
  }

  @ParameterizedTest
  @MethodSource("setups")
  void theDefinitionPasses(AttentionCases.Setup setup) {
    assertEquals(Optional.empty(), violation(setup, attended(setup, Mistake.NONE), TensorCores.SM100));
  }

  /** A mistake that a kernel might make. */
  private enum Mistake {
    NONE, FACTOR_OF_QUERY_BLOCK, FACTOR_OF_KEY_BLOCK, FACTOR_OF_VALUE_BLOCK, FACTOR_OF_HEAD, FACTOR_OF_KEYS_BATCH,
    SWAPPED_ROWS_OF_V, TAIL_OF_KEYS, SHIFTED_LOGARITHM, UNWRITTEN;

    /** The block of a factor that is read for one. */
    int block(char operand, int block) {
      boolean wrong = this == switch (operand) {
        case 'Q' -> FACTOR_OF_QUERY_BLOCK;
        case 'K' -> FACTOR_OF_KEY_BLOCK;
        default -> FACTOR_OF_VALUE_BLOCK;
      };
      return wrong && block == 1 ? 0 : block;
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyMistakesFail(Mistake mistake) {
    var sizes = new Sizes(2, 40, 100, 2, 1, 64, 64);
    var setup = QuantizedAttention.quantized(AttentionCases.band(ElementType.BF16, sizes, Band.CAUSAL),
        AttentionProblem.Quantized.perBlock(ElementType.BF16, sizes, 16, BLOCK));
    var buffers = attended(setup, mistake);
    for (var tensorCores : TensorCores.values()) {
      assertEquals(mistake != Mistake.NONE, violation(setup, buffers, tensorCores).isPresent(),
          mistake + " on " + tensorCores);
    }
  }

  @TestFactory
  Stream<DynamicTest> everyFeatureHasAProblem() {
    var features = Map.<String, Predicate<AttentionProblem>>ofEntries(
        Map.entry("factors per block", p -> p.quantized().orElseThrow().k().rows() == 128),
        Map.entry("factors per head", p -> p.quantized().orElseThrow().k().head() == 1),
        Map.entry("factor per tensor", p -> p.quantized().orElseThrow().k().equals(Factors.perTensor("descaleK"))),
        Map.entry("P in e5m2", p -> p.quantized().orElseThrow().probabilities() == ElementType.E5M2),
        Map.entry("f16", p -> p.outputType() == ElementType.F16),
        Map.entry("bf16", p -> p.outputType() == ElementType.BF16),
        Map.entry("causal", p -> p.band().equals(Band.CAUSAL)),
        Map.entry("window", p -> p.band().left().isPresent()),
        Map.entry("function of scores", p -> p.modification().score().isPresent()),
        Map.entry("mask", p -> p.modification().mask().isPresent()),
        Map.entry("lists of blocks", AttentionProblem::blockMask),
        Map.entry("heads that share keys", p -> p.sizes().sharers() > 1),
        Map.entry("packed sequences", p -> p.packed().isPresent()),
        Map.entry("Q, K and V in one tensor", p -> p.q().buffer().equals(p.k().buffer())),
        Map.entry("each head by itself", p -> p.q().head() > p.q().sequence()),
        Map.entry("no logarithms", p -> p.lse().isEmpty()),
        Map.entry("no keys", p -> p.sizes().keys() == 0),
        Map.entry("head dimensions 192 and 128", p -> p.sizes().headDim() == 192 && p.sizes().valueDim() == 128));
    var dims = Stream.of(64, 96, 128, 192, 256).map(dim -> Map.entry("head dimension " + dim,
        (Predicate<AttentionProblem>) p -> p.sizes().headDim() == dim && p.sizes().valueDim() == dim));
    return Stream.concat(features.entrySet().stream(), dims).map(feature -> DynamicTest.dynamicTest(feature.getKey(),
        () -> assertTrue(QuantizedAttention.small().stream().anyMatch(s -> feature.getValue().test(s.problem())))));
  }

  /** Inputs, and what attention gives by definition but for a mistake. */
  private static Map<String, MemorySegment> attended(AttentionCases.Setup setup, Mistake mistake) {
    var buffers = AttentionCases.buffers(setup, SEED);
    new Definition(setup, buffers, mistake).run();
    return buffers;
  }

  private static Optional<String> violation(AttentionCases.Setup setup, Map<String, MemorySegment> buffers,
      TensorCores tensorCores) {
    return AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers, tensorCores).violation();
  }

  /** Attention as it is defined, one output row at a time. */
  private record Definition(AttentionCases.Setup setup, Map<String, MemorySegment> buffers, Mistake mistake) {
    private AttentionProblem problem() {
      return setup.problem();
    }

    void run() {
      int sequences = problem().packed().map(AttentionProblem.Packed::sequences).orElse(1);
      int firstQuery = 0;
      int firstKey = 0;
      for (int i = 0; i < sequences; i++) {
        int queries = problem().packed().isPresent() ? setup.queries()[i] : problem().sizes().queries();
        int keys = problem().packed().isPresent() ? setup.keys()[i] : problem().sizes().keys();
        for (int b = 0; b < problem().sizes().batch(); b++) {
          for (int h = 0; h < problem().sizes().heads(); h++) {
            for (int query = 0; query < queries; query++) {
              row(i, b, h, query, queries, firstQuery, firstKey, keys);
            }
          }
        }
        firstQuery += queries;
        firstKey += keys;
      }
    }

    private void row(int sequence, int b, int h, int query, int queries, int firstQuery, int firstKey, int keys) {
      var s = problem().sizes();
      var elements = new QuantizedElements(problem(), buffers);
      var factors = problem().quantized().orElseThrow();
      var rule = setup.rules().of(sequence, queries, keys);
      int entry = problem().packed().isPresent() ? sequence : b;
      int hk = h * s.keyHeads() / s.heads();
      var p = new double[keys];
      double sum = 0;
      int end = mistake == Mistake.TAIL_OF_KEYS ? keys / BLOCK * BLOCK : keys;
      for (int key = 0; key < end; key++) {
        if (!rule.visible(b, h, query, key)) continue;
        double dot = 0;
        for (int d = 0; d < s.headDim(); d++) {
          dot += elements.code(problem().q(), b, firstQuery + query, h, d)
              * elements.code(problem().k(), b, firstKey + key, hk, d);
        }
        int headOfFactor = mistake == Mistake.FACTOR_OF_HEAD ? 0 : h;
        int entryOfFactor = mistake == Mistake.FACTOR_OF_KEYS_BATCH ? 0 : entry;
        double score = problem().scale() * dot * factor(factors.q(), 'Q', entry, headOfFactor, query)
            * factor(factors.k(), 'K', entryOfFactor, hk, key);
        p[key] = Math.exp(rule.change(score, b, h, query, key));
        sum += p[key];
      }
      sum += problem().sinks().map(buffers::get)
          .map(sinks -> Math.exp(sinks.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, h))).orElse(0.0);
      int at = firstQuery + query;
      elements.setLogarithm(b, at, h, Math.log(sum) + (mistake == Mistake.SHIFTED_LOGARITHM ? 8 * Math.log(2) : 0));
      if (mistake == Mistake.UNWRITTEN && query == queries - 1) return;
      for (int d = 0; d < s.valueDim(); d++) {
        double o = 0;
        for (int key = 0; key < keys; key++) {
          int read = mistake == Mistake.SWAPPED_ROWS_OF_V ? key ^ 1 : key;
          if (p[key] > 0) {
            o += p[key] * elements.code(problem().v(), b, firstKey + read, hk, d)
                * factor(factors.v(), 'V', entry, hk, read);
          }
        }
        elements.setOutput(b, at, h, d, sum == 0 ? 0 : o / sum);
      }
    }

    private double factor(Factors factors, char operand, int entry, int head, int row) {
      return buffers.get(factors.buffer()).getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED,
          factors.block() * mistake.block(operand, row / factors.rows()) + factors.head() * head
              + factors.batch() * entry);
    }
  }
}
