package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.Band;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.AttentionReference;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;
import tilewright.sm90.attention.Sm90Attention;
import tilewright.sm90.attention.Sm90AttentionConfig;

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
    var config = new Sm90AttentionConfig(TYPE, depth, width, groups, block, 2, true, apart, 1, band);
    var q = tensor(queries, heads, depth, 1);
    var k = tensor(keys, 1, depth, 2);
    var v = tensor(keys, 1, width, 3);
    var o = tensor(queries, heads, width, 4);
    o.data().fill((byte) 0xFF);
    var lse = new TensorView(ElementType.F32, Buffers.poisoned(ElementType.F32, (long) queries * heads),
        Layout.columnMajor(queries, heads));
    float scale = 0.125f;
    var kernel = CompiledKernel.compile(new Sm90Attention(config), Target.SM90A);
    var arguments = LaunchArguments.of(kernel).tensor("Q", argument("Q", q, 0, 1))
        .tensor("K", argument("K", k, 0, 1)).tensor("V", argument("V", v, 1, 0)).tensor("O", argument("O", o, 0, 1))
        .tensor("LSE", new LaunchArguments.Tensor("LSE", 0, List.of((long) queries, (long) heads, 1L),
            List.of(1L, (long) queries, 0L)))
        .scalar("scale", scale);
    var outcome = new SimulatorBackend(1).run(new PreparedLaunch(kernel, Dim3.ONE, arguments.build())
        .on(Map.of("Q", q.data(), "K", k.data(), "V", v.data(), "O", o.data(), "LSE", lse.data())));
    assertEquals(List.of(), outcome.findings());

    var reference = new AttentionReference(rows(q), rows(k), rows(v), scale, rule);
    var exact = reference.exact();
    var stepwise = reference.stepwise();
    double allowed = 0;
    for (int i = 0; i < exact.o().length; i++) {
      allowed = Math.max(allowed, 2 * Math.abs(stepwise.o()[i] - exact.o()[i]));
    }
    for (int i = 0; i < exact.o().length; i++) assertEquals(exact.o()[i], rows(o).value(i), allowed, "O, " + i);
    for (int i = 0; i < exact.lse().length; i++) {
      double expected = exact.lse()[i];
      assertTrue(expected == lse.value(i) || Math.abs(expected - lse.value(i)) <= 1e-5 * Math.max(1, Math.abs(expected)),
          "LSE, " + i + " is " + lse.value(i) + ", not " + expected);
    }
  }

  /** (rows, columns, heads), heads side by side. */
  private static TensorView tensor(int rows, int heads, int columns, long seed) {
    var layout = Layout.of(Layout.of(rows, (long) heads * columns), Layout.of(columns, 1), Layout.of(heads, columns));
    return new TensorView(TYPE, Buffers.normal(TYPE, (long) rows * heads * columns, seed), layout);
  }

  private static LaunchArguments.Tensor argument(String name, TensorView tensor, int first, int second) {
    var layout = tensor.layout();
    var order = List.of(first, second, 2);
    var extents = new ArrayList<>(order.stream().map(mode -> layout.mode(mode).size()).toList());
    var strides = new ArrayList<>(order.stream().map(mode -> layout.flatStride()[mode]).toList());
    extents.add(1L);
    strides.add(0L);
    return new LaunchArguments.Tensor(name, 0, extents, strides);
  }

  /** With the modes of the reference: batch, rows, heads, columns. */
  private static TensorView rows(TensorView tensor) {
    var layout = tensor.layout();
    return new TensorView(tensor.type(), tensor.data(),
        Layout.of(Layout.of(1, 0), layout.mode(0), layout.mode(2), layout.mode(1)));
  }
}
