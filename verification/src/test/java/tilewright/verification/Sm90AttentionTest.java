package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.AttentionReference;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Hopper attention beside the reference, in small tiles and one CTA that has them all. */
class Sm90AttentionTest {
  private static final ElementType TYPE = ElementType.BF16;

  @ParameterizedTest(name = "{0} queries, {1} keys, {2} heads of {3} and {4}, {5} warpgroups, {6} a block, {8}")
  @CsvSource({"100, 70, 2, 64, 64, 2, 32, true, all", "70, 48, 1, 64, 64, 1, 16, false, all",
      "200, 40, 1, 64, 128, 3, 48, true, all", "30, 0, 1, 64, 64, 1, 16, true, all",
      "140, 140, 1, 64, 64, 1, 32, false, causal", "70, 100, 2, 64, 64, 2, 16, true, causal",
      "150, 40, 1, 64, 64, 2, 16, true, causal", "100, 150, 1, 64, 64, 1, 16, true, window"})
  void outputAndLogarithmsAreTheReferences(int queries, int keys, int heads, int depth, int width, int groups,
      int block, boolean apart, String form) {
    var band = switch (form) {
      case "causal" -> Band.CAUSAL;
      case "window" -> Band.window(40, 10);
      default -> Band.ALL;
    };
    var rule = switch (form) {
      case "causal" -> ScoreRule.causal(queries, keys);
      case "window" -> ScoreRule.window(queries, keys, 40, 10);
      default -> ScoreRule.NONE;
    };
    var problem = AttentionProblem.dense(TYPE, new Sizes(1, queries, keys, heads, 1, depth, width)).with(band);
    var shape = new Shape(depth, width, groups, block, 2, apart ? 2 : 1, apart ? 64 : 0, true);
    var launch = Sm90AttentionKernel.prepare(problem, shape);
    var q = tensor(queries, heads, depth, 1);
    var k = tensor(keys, 1, depth, 2);
    var v = tensor(keys, 1, width, 3);
    var o = tensor(queries, heads, width, 4);
    o.data().fill((byte) 0xFF);
    var lse = new TensorView(ElementType.F32, Buffers.poisoned(ElementType.F32, (long) queries * heads),
        Layout.columnMajor(queries, heads));
    var counter = MemorySegment.ofArray(new int[1]);
    // One CTA, which has all tiles.
    var outcome = new SimulatorBackend(1).run(new PreparedLaunch(launch.kernel(), Dim3.ONE, launch.arguments()).on(
        Map.of("Q", q.data(), "K", k.data(), "V", v.data(), "O", o.data(), "LSE", lse.data(), "tiles", counter)));
    assertEquals(List.of(), outcome.findings());
    assertEquals(0, counter.get(ValueLayout.JAVA_INT, 0), "the counter of tiles");

    var reference = new AttentionReference(rows(q), rows(k), rows(v), problem.scale(), rule);
    var exact = reference.exact();
    var stepwise = reference.stepwise();
    double allowed = 0;
    for (int i = 0; i < exact.o().length; i++) {
      allowed = Math.max(allowed, 2 * Math.abs(stepwise.o()[i] - exact.o()[i]));
    }
    for (int i = 0; i < exact.o().length; i++) assertEquals(exact.o()[i], rows(o).value(i), allowed, "O, " + i);
    for (int i = 0; i < exact.lse().length; i++) {
      double expected = exact.lse()[i];
      double allowedLog = 1e-5 * Math.max(1, Math.abs(expected));
      assertTrue(expected == lse.value(i) || Math.abs(expected - lse.value(i)) <= allowedLog,
          "LSE, " + i + " is " + lse.value(i) + ", not " + expected);
    }
  }

  /** (rows, columns, heads), heads side by side. */
  private static TensorView tensor(int rows, int heads, int columns, long seed) {
    var layout = Layout.of(Layout.of(rows, (long) heads * columns), Layout.of(columns, 1), Layout.of(heads, columns));
    return new TensorView(TYPE, Buffers.normal(TYPE, (long) rows * heads * columns, seed), layout);
  }

  /** Returns the tensor with the modes of the reference: batch, rows, heads, columns. */
  private static TensorView rows(TensorView tensor) {
    var layout = tensor.layout();
    return new TensorView(tensor.type(), tensor.data(),
        Layout.of(Layout.of(1, 0), layout.mode(0), layout.mode(2), layout.mode(1)));
  }
}
