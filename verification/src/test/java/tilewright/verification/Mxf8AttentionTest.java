package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.TraceException;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.AttentionFactors.TensorCores;
import tilewright.sm100.attention.Mxf8Scales;
import tilewright.sm100.attention.Sm100AttentionConfig.Shape;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.Mxf8Attention;

/**
 * Blackwell attention of mxf8 operands beside the reference, and the check itself: the definition, computed from the
 * buffers in FP64 with its own addresses, passes on every problem, and every mistake fails.
 */
class Mxf8AttentionTest {
  private static final long SEED = 5;
  private static final Sm100AttentionKernel KERNEL = new Sm100AttentionKernel();

  static Stream<AttentionCases.Setup> defined() {
    // The definition below has logarithms only.
    return LongSuite.of(Mxf8Attention.small()).stream()
        .filter(setup -> !setup.problem().blockMask() && setup.problem().apart().isEmpty());
  }

  @ParameterizedTest
  @MethodSource("defined")
  void theDefinitionPasses(AttentionCases.Setup setup) {
    assertEquals(Optional.empty(), violation(setup, Mistake.NONE));
  }

  static List<AttentionCases.Setup> supported() {
    return LongSuite.of(Mxf8Attention.small().stream().filter(s -> KERNEL.refusal(s.problem()).isEmpty()).toList());
  }

  @ParameterizedTest
  @MethodSource("supported")
  void theKernelPassesWithoutFindings(AttentionCases.Setup setup) {
    check(KERNEL, setup, SEED, KERNEL.prepare(setup.problem()));
  }

  /** Copies and scales under way must not be overwritten when a CTA turns to its next tile. */
  @Test
  void oneCtaComputesAllTilesAsWell() {
    var setup = Mxf8Attention.scaled(AttentionCases.band(ElementType.BF16, Sizes.of(1, 520, 200, 1, 128), Band.ALL));
    var launch = KERNEL.prepare(setup.problem());
    check(KERNEL, setup, 2, new PreparedLaunch(launch.kernel(), Dim3.ONE, launch.arguments()));
  }

  @Test
  void cancelledLaunchesGiveTheSame() {
    var kernel = new Sm100AttentionKernel(true);
    var setup = Mxf8Attention.scaled(AttentionCases.band(ElementType.BF16, Sizes.of(1, 600, 140, 1, 64), Band.CAUSAL));
    check(kernel, setup, 4, kernel.prepare(setup.problem()));
  }

  private static void check(Sm100AttentionKernel kernel, AttentionCases.Setup setup, long seed, PreparedLaunch launch) {
    var buffers = AttentionCases.buffers(kernel, setup, seed);
    var outcome = new SimulatorBackend(seed).run(launch.on(buffers));
    assertEquals(List.of(), outcome.findings());
    assertEquals(Optional.empty(), AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers,
        TensorCores.SM100).violation());
  }

  static Stream<AttentionKernel> others() {
    return Stream.of(AttentionCases.SM80, AttentionCases.SM89, AttentionCases.SM90)
        .map(AttentionCases.Architecture::kernel);
  }

  @ParameterizedTest
  @MethodSource("others")
  void kernelsWithoutBlockScalesRefuse(AttentionKernel kernel) {
    var s = Sizes.of(1, 64, 64, 1, 64);
    var reason = kernel.refusal(AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, s), s)).orElseThrow();
    assertTrue(reason.startsWith("mxf8 operands need "), reason);
  }

  @Test
  void headsThatLeaveNoColumnsForScalesAreRefused() {
    var s = Sizes.of(1, 64, 64, 1, 128);
    var wide = AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, s), s);
    assertEquals("blocks of 128 keys and values of 128 columns leave no columns of Tensor Memory for scales: take "
        + "blocks of 64 keys", assertThrows(TraceException.class,
            () -> Sm100AttentionKernel.prepare(wide, new Shape(128, 128, 128, 4, 4))).getMessage());
    var larger = Sizes.of(1, 64, 64, 1, 256);
    assertEquals(Optional.of("head dimensions 256 and 256 are more than 192 and 128"),
        KERNEL.refusal(AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, larger), larger)));
  }

  @Test
  void scalesThatCannotBeReadAreRefused() {
    var s = Sizes.of(1, 200, 200, 2, 64);
    var dense = AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, s), s);
    assertEquals(Optional.of("scaleK has 1024 bytes of a head, needed are 2048: each packed sequence begins with a "
        + "block of its own"), KERNEL.refusal(dense.with(new Packed("cuQ", "cuK", 3, 100))));
    var of = dense.quantized().orElseThrow();
    var narrow = new Quantized(of.format(), of.output(), of.probabilities(), of.q(),
        new Factors("scaleK", 64, 512, 1000, 2000), of.v());
    assertEquals(Optional.of("scaleK has blocks of 64 rows and strides of [512, 1000, 2000] bytes: take blocks of 128 "
        + "rows and multiples of 16 bytes"), KERNEL.refusal(AttentionProblem.dense(narrow, s)));
  }

  /** A mistake that a kernel might make. */
  private enum Mistake {
    NONE, SCALE_OF_OTHER_QUERY, SCALE_OF_OTHER_COLUMNS, SCALE_OF_OTHER_HALF_OF_KEYS, SCALE_OF_OTHER_KEYS_OF_V,
    SCALE_OF_OTHER_HALF_OF_V, SCALE_OF_OTHER_COLUMN_OF_V, SCALE_OF_HEAD, SHIFTED_LOGARITHM, TAIL_OF_KEYS
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void mistakesFail(Mistake mistake) {
    var setup = Mxf8Attention.scaled(AttentionCases.band(ElementType.BF16, new Sizes(1, 10, 270, 2, 2, 128, 64),
        Band.ALL));
    assertEquals(Optional.empty(), violation(setup, Mistake.NONE));
    assertTrue(violation(setup, mistake).isPresent(), mistake.toString());
  }

  @Test
  void aSequenceWithTheScalesOfTheOneBeforeFails() {
    var setup = Mxf8Attention.small().stream().filter(s -> s.problem().packed().isPresent()).findFirst().orElseThrow();
    var buffers = AttentionCases.buffers(KERNEL, setup, SEED);
    new Definition(setup, buffers, Mistake.NONE, 0).run();
    assertTrue(compare(setup, buffers).isPresent());
  }

  private static Optional<String> violation(AttentionCases.Setup setup, Mistake mistake) {
    var buffers = AttentionCases.buffers(KERNEL, setup, SEED);
    new Definition(setup, buffers, mistake, 1).run();
    return compare(setup, buffers);
  }

  private static Optional<String> compare(AttentionCases.Setup setup, Map<String, MemorySegment> buffers) {
    return AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers, TensorCores.SM100).violation();
  }

  /**
   * Attention as it is defined, one output row at a time.
   *
   * @param blocksApart blocks of scales from a sequence to the next, besides those that are full
   */
  private record Definition(AttentionCases.Setup setup, Map<String, MemorySegment> buffers, Mistake mistake,
      int blocksApart) {
    private AttentionProblem problem() {
      return setup.problem();
    }

    /** A sequence: its number, and its rows in Q and in K. */
    private record Sequence(int number, int firstQuery, int queries, int firstKey, int keys) {}

    void run() {
      boolean packed = problem().packed().isPresent();
      int firstQuery = 0;
      int firstKey = 0;
      for (int i = 0; i < (packed ? setup.queries().length : 1); i++) {
        var sequence = new Sequence(i, firstQuery, packed ? setup.queries()[i] : problem().sizes().queries(), firstKey,
            packed ? setup.keys()[i] : problem().sizes().keys());
        for (int b = 0; b < problem().sizes().batch(); b++) {
          for (int h = 0; h < problem().sizes().heads(); h++) {
            for (int query = 0; query < sequence.queries; query++) row(sequence, b, h, query);
          }
        }
        firstQuery += sequence.queries;
        firstKey += sequence.keys;
      }
    }

    private void row(Sequence of, int b, int h, int query) {
      var s = problem().sizes();
      var elements = new QuantizedElements(problem(), buffers);
      var scales = problem().quantized().orElseThrow();
      var rule = setup.rules().of(of.number, of.queries, of.keys);
      int hk = h * s.keyHeads() / s.heads();
      var p = new double[of.keys];
      double sum = 0;
      for (int key = 0; key < (mistake == Mistake.TAIL_OF_KEYS ? of.keys / 128 * 128 : of.keys); key++) {
        if (!rule.visible(b, h, query, key)) continue;
        double dot = 0;
        for (int d = 0; d < s.headDim(); d++) {
          int wrong = mistake == Mistake.SCALE_OF_OTHER_COLUMNS ? d ^ 32 : d;
          dot += elements.code(problem().q(), b, of.firstQuery + query, h, d)
              * elements.code(problem().k(), b, of.firstKey + key, hk, d)
              * ofRow(scales.q(), of.number, of.firstQuery, b, mistake == Mistake.SCALE_OF_HEAD ? 0 : h,
                  mistake == Mistake.SCALE_OF_OTHER_QUERY ? query ^ 1 : query, wrong)
              * ofRow(scales.k(), of.number, of.firstKey, b, hk,
                  mistake == Mistake.SCALE_OF_OTHER_HALF_OF_KEYS ? key & ~64 : key, d);
        }
        p[key] = Math.exp(rule.change(problem().scale() * dot, b, h, query, key));
        sum += p[key];
      }
      sum += problem().sinks().map(buffers::get)
          .map(sinks -> Math.exp(sinks.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, h))).orElse(0.0);
      int at = of.firstQuery + query;
      elements.setLogarithm(b, at, h, Math.log(sum) + (mistake == Mistake.SHIFTED_LOGARITHM ? 8 * Math.log(2) : 0));
      for (int d = 0; d < s.valueDim(); d++) {
        double o = 0;
        int column = mistake == Mistake.SCALE_OF_OTHER_COLUMN_OF_V ? d ^ 32 : d;
        for (int key = 0; key < of.keys; key++) {
          int of32 = switch (mistake) {
            case SCALE_OF_OTHER_KEYS_OF_V -> key & ~32;
            case SCALE_OF_OTHER_HALF_OF_V -> key & ~64;
            default -> key;
          };
          if (p[key] > 0) {
            o += p[key] * elements.code(problem().v(), b, of.firstKey + key, hk, d)
                * ofColumn(scales.v(), of.number, of.firstKey, b, hk, of32, column);
          }
        }
        elements.setOutput(b, at, h, d, sum == 0 ? 0 : o / sum);
      }
    }

    /** The scale of a column of a row of Q or K. */
    private double ofRow(Factors scales, int sequence, int first, int b, int head, int row, int d) {
      int r = row % 128;
      return scale(scales, sequence, first, b, head, row,
          d / 128 * 512 + r % 32 * 16 + r / 32 * 4 + d % 128 / 32);
    }

    /** The scale of a key of a column of V. */
    private double ofColumn(Factors scales, int sequence, int first, int b, int head, int row, int d) {
      int c = d % 128;
      return scale(scales, sequence, first, b, head, row,
          d / 128 * 512 + c % 32 * 16 + c / 32 * 4 + row % 128 / 32);
    }

    private double scale(Factors scales, int sequence, int first, int b, int head, int row, int inBlock) {
      int begin = problem().packed().isPresent() ? first / 128 + blocksApart * sequence : 0;
      long at = scales.batch() * b + scales.head() * head + scales.block() * (begin + row / 128) + inBlock;
      return Math.scalb(1.0, (buffers.get(scales.buffer()).get(ValueLayout.JAVA_BYTE, at) & 0xFF) - 127);
    }
  }
}
