package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.CaptureCheck;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Masks;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.collective.attention.Scores;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Every ready-made mask and function beside a plain definition of it, pair by pair of a query and a key. */
class ReadyMadeModsTest {
  private static final int BATCH = 2;
  private static final int HEADS = 3;
  private static final int LENGTH = 60;
  private static final CapturedTensor DOCUMENTS = CapturedTensor.of("documents", ElementType.I32, 2);
  private static final CapturedTensor PREFIXES = CapturedTensor.of("prefixes", ElementType.I32, 1);
  private static final CapturedTensor ANCESTORS = CapturedTensor.of("ancestors", ElementType.I8, 2);
  private static final CapturedTensor SLOPES = CapturedTensor.of("slopes", ElementType.F32, 1);
  private static final CapturedTensor TABLE = CapturedTensor.of("relative", ElementType.F32, 2);
  private static final CapturedTensor BUCKETS = CapturedTensor.of("buckets", ElementType.I32, 1).below(7);

  /** A mask or a function, its plain definition, and what it reads. */
  private record Form(String name, Modification modification, ScoreRule rule, Map<String, double[]> data,
      double tolerance) {
    Form(String name, MaskMod mask, ScoreRule.Visible visible) {
      this(name, Modification.NONE.and(mask), ScoreRule.mask(visible), Map.of(), 0);
    }

    Form(String name, ScoreMod score, ScoreRule rule, double tolerance) {
      this(name, Modification.NONE.then(score), rule, Map.of(), tolerance);
    }

    Form reading(CapturedTensor tensor, double[] values, long... extents) {
      var all = new HashMap<>(data);
      all.put(tensor.name(), values);
      return new Form(name, modification.with(modification.captures().and(Captures.Given.dense(tensor, extents))), rule,
          all, tolerance);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Form> forms() {
    return Stream.of(masks(), reading(), scores()).flatMap(List::stream);
  }

  private static List<Form> masks() {
    return List.of(
        new Form("causal", Masks.causal(), (b, h, q, k) -> q >= k),
        new Form("prefix_lm", Masks.prefixLm(17), (b, h, q, k) -> k < 17 || q >= k),
        new Form("sliding_window", Masks.slidingWindow(9), (b, h, q, k) -> q >= k && q - k <= 9),
        new Form("chunked", Masks.chunked(13), (b, h, q, k) -> q >= k && q / 13 == k / 13),
        new Form("dilated_sliding_window", Masks.dilatedSlidingWindow(20, 3),
            (b, h, q, k) -> q >= k && q - k <= 20 && (q - k) % 3 == 0),
        new Form("dilated by a power of two", Masks.dilatedSlidingWindow(20, 4),
            (b, h, q, k) -> q >= k && q - k <= 20 && (q - k) % 4 == 0),
        new Form("global tokens", Masks.globalTokens(5), (b, h, q, k) -> q < 5 || k < 5),
        new Form("natten2d", Masks.natten2d(10, 6, 5, 3), (b, h, q, k) -> near(q % 10, k % 10, 5, 10)
            && near(q / 10, k / 10, 3, 6)),
        new Form("natten3d", Masks.natten3d(5, 4, 3, 3, 3, 1), (b, h, q, k) -> near(q % 5, k % 5, 3, 5)
            && near(q / 5 % 4, k / 5 % 4, 3, 4) && q / 20 == k / 20),
        new Form("not causal", Masks.causal().not(), (b, h, q, k) -> q < k),
        new Form("chunked or global, and a window", Masks.chunked(8).or(Masks.globalTokens(2))
            .and(Masks.slidingWindow(30)), (b, h, q, k) -> (q >= k && q / 8 == k / 8 || q < 2 || k < 2)
                && q >= k && q - k <= 30));
  }

  /** Whether a key lies in the window of NATTEN around a query, which is moved inside at the edges. */
  private static boolean near(int query, int key, int kernel, int extent) {
    int first = Math.min(Math.max(0, query - kernel / 2), extent - kernel);
    return first <= key && key < first + kernel;
  }

  private static List<Form> reading() {
    var documents = IntStream.range(0, BATCH * LENGTH).mapToDouble(i -> i % LENGTH / 11 + i / LENGTH).toArray();
    var spans = IntStream.range(0, BATCH * LENGTH).mapToDouble(i -> i % 14 < 6 ? -1 : i / 14).toArray();
    var prefixes = new double[] {3, 40};
    int context = 36;
    int nodes = LENGTH - context;
    var parents = IntStream.range(0, nodes).map(i -> (i - 1) / 2).toArray();
    var ancestors = new double[LENGTH * nodes];
    for (int i = 0; i < nodes; i++) {
      for (int j = i; ; j = parents[j]) {
        ancestors[i * nodes + j] = 1;
        if (j == 0) break;
      }
    }
    return List.of(
        new Form("prefix_lm by batch entry", Masks.prefixLm(PREFIXES), (b, h, q, k) -> k < prefixes[b] || q >= k)
            .reading(PREFIXES, prefixes, BATCH),
        new Form("document", Masks.document(DOCUMENTS), (b, h, q, k) ->
            documents[b * LENGTH + q] == documents[b * LENGTH + k]).reading(DOCUMENTS, documents, BATCH, LENGTH),
        new Form("transfusion", Masks.transfusion(DOCUMENTS), (b, h, q, k) -> q >= k
            || spans[b * LENGTH + q] >= 0 && spans[b * LENGTH + q] == spans[b * LENGTH + k])
            .reading(DOCUMENTS, spans, BATCH, LENGTH),
        new Form("tree", Masks.tree(ANCESTORS, context), (b, h, q, k) -> k < context
            || ancestors[q * nodes + k - context] != 0).reading(ANCESTORS, ancestors, LENGTH, nodes));
  }

  private static List<Form> scores() {
    var random = new Random(1);
    var slopes = random.doubles(HEADS).map(x -> (float) x).toArray();
    var table = random.doubles(HEADS * (2L * LENGTH - 1)).map(x -> (float) x).toArray();
    var buckets = IntStream.range(0, 2 * LENGTH - 1).mapToDouble(i -> Math.min(6, Math.abs(i - LENGTH + 1) / 9))
        .toArray();
    var bias = random.doubles((long) BATCH * HEADS * LENGTH * LENGTH).map(x -> (float) x).toArray();
    return List.of(
        new Form("alibi", Scores.alibi(HEADS), ScoreRule.bias((b, h, q, k) ->
            Math.pow(2, -8.0 * (h + 1) / HEADS) * (k - q)), 1e-4),
        new Form("alibi by slopes", Scores.alibi(SLOPES), ScoreRule.bias((b, h, q, k) -> slopes[h] * (k - q)), 1e-5)
            .reading(SLOPES, slopes, HEADS),
        new Form("relative", Scores.relative(TABLE, LENGTH), ScoreRule.bias((b, h, q, k) ->
            table[h * (2 * LENGTH - 1) + k - q + LENGTH - 1]), 1e-6).reading(TABLE, table, HEADS, 2 * LENGTH - 1),
        new Form("relative by buckets", Scores.relative(TABLE, BUCKETS, LENGTH), ScoreRule.bias((b, h, q, k) ->
            table[h * 7 + (int) buckets[k - q + LENGTH - 1]]), 1e-6)
            .reading(TABLE, Arrays.copyOf(table, HEADS * 7), HEADS, 7).reading(BUCKETS, buckets, 2 * LENGTH - 1),
        bias(bias, 4, BATCH, HEADS, LENGTH, LENGTH), bias(bias, 3, HEADS, LENGTH, LENGTH),
        bias(bias, 2, LENGTH, LENGTH),
        new Form("softcap", ScoreMod.softcap(2), ScoreRule.softcap(2), 1e-6),
        new Form("approximate softcap", Scores.softcapApproximate(2), ScoreRule.softcap(2), 2 * 0x1p-10));
  }

  private static Form bias(double[] values, int rank, long... extents) {
    var tensor = CapturedTensor.of("bias", ElementType.F32, rank);
    int count = Math.toIntExact(Arrays.stream(extents).reduce(1, Math::multiplyExact));
    return new Form("bias of rank " + rank, Scores.bias(tensor), ScoreRule.bias((b, h, q, k) ->
        values[((rank > 3 ? b * HEADS : 0) + (rank > 2 ? h : 0)) * LENGTH * LENGTH + q * LENGTH + k]), 1e-6)
        .reading(tensor, Arrays.copyOf(values, count), extents);
  }

  @ParameterizedTest
  @MethodSource("forms")
  void eachPairHasItsDefinition(Form form) {
    new CaptureCheck(form.modification, BATCH, HEADS, LENGTH, LENGTH).require();
    var results = run(form);
    for (int i = 0; i < results.length; i++) {
      int k = i % LENGTH;
      int q = i / LENGTH % LENGTH;
      int h = i / LENGTH / LENGTH % HEADS;
      int b = i / LENGTH / LENGTH / HEADS;
      double exact = form.rule.visible(b, h, q, k) ? form.rule.change(score(q, k), b, h, q, k)
          : Double.NEGATIVE_INFINITY;
      assertEquals(exact, results[i], form.tolerance, "b=" + b + " h=" + h + " q=" + q + " k=" + k);
    }
  }

  private static double score(int q, int k) {
    return (q * 3 - k) / 32.0;
  }

  /** The changed score of every pair, −∞ where the mask hides it: a thread for each key, a block for each query. */
  private static double[] run(Form form) {
    int count = BATCH * HEADS * LENGTH * LENGTH;
    var kernel = CompiledKernel.compile(new PairKernel(form.modification), Target.SM80);
    var arguments = LaunchArguments.of(kernel)
        .tensor("Y", new LaunchArguments.Tensor("Y", 0, List.of((long) count), List.of(1L)));
    form.modification.captures().addTo(arguments);
    var buffers = new HashMap<>(Map.of("Y", Buffers.poisoned(ElementType.F32, count)));
    form.data.forEach((name, values) -> {
      var type = form.modification.captures().tensors().get(name).tensor().type();
      var view = new TensorView(type, Buffers.zeros(type, values.length), Layout.of(values.length, 1));
      for (int i = 0; i < values.length; i++) view.set(i, values[i]);
      buffers.put(name, view.data());
    });
    var launch = new PreparedLaunch(kernel, new Dim3(LENGTH, HEADS, BATCH), arguments.build()).on(buffers);
    assertEquals(List.of(), new SimulatorBackend(1).run(launch).findings());
    return new TensorView(ElementType.F32, buffers.get("Y"), Layout.of(count, 1)).values();
  }

  private record PairKernel(Modification modification) implements Kernel {
    @Override
    public String name() {
      return "pairs";
    }

    @Override
    public void trace(Scope s) {
      var k = s.block(LENGTH);
      var q = s.blockX();
      var h = s.blockY();
      var b = s.blockZ();
      var score = q.times(3).minus(k).toF32().times(1 / 32f);
      var changed = modification.score().map(mod -> mod.apply(score, b, h, q, k)).orElse(score);
      var hidden = s.constant(Float.NEGATIVE_INFINITY);
      var seen = modification.mask().map(mask -> changed.where(mask.apply(b, h, q, k), hidden)).orElse(changed);
      s.global(TensorSpec.of("Y", ElementType.F32, "N"))
          .at(b.times(HEADS).plus(h).times(LENGTH).plus(q).times(LENGTH).plus(k)).store(seen);
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    refused("invalid window -1: at least 0", () -> Masks.slidingWindow(-1));
    refused("invalid chunk 0: at least 1", () -> Masks.chunked(0));
    refused("invalid dilation 0: at least 1", () -> Masks.dilatedSlidingWindow(3, 0));
    refused("invalid kernel of 4 along a width of 10: an odd number, not larger", () -> Masks.natten2d(10, 6, 4, 3));
    refused("invalid kernel of 7 along a height of 6: an odd number, not larger", () -> Masks.natten2d(10, 6, 3, 7));
    refused("invalid ALiBi of 0 heads: at least 1", () -> Scores.alibi(0));
    refused("bias slopes has rank 1: 2 to 4", () -> Scores.bias(SLOPES));
    refused("table slopes has rank 1: 2", () -> Scores.relative(SLOPES, 4));
    refused("invalid softcap 0.0: it must be positive", () -> Scores.softcapApproximate(0));
  }

  private static void refused(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }
}
