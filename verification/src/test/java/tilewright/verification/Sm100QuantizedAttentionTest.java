package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Blackwell attention of e4m3 operands beside a direct computation in FP64, with the error that rounding P has. */
class Sm100QuantizedAttentionTest {
  private static final Sm100AttentionKernel KERNEL = new Sm100AttentionKernel();
  private static final int SEEDS = LongSuite.count(2);

  /** A problem, the lengths of its sequences where they are packed, and the cap of its scores where they have one. */
  record Setup(String name, AttentionProblem problem, int[] queries, int[] keys, double cap) {
    Setup(String name, AttentionProblem problem) {
      this(name, problem, new int[] {problem.sizes().queries()}, new int[] {problem.sizes().keys()}, 0);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Setup> problems() {
    var bf16 = ElementType.BF16;
    return Stream.of(
        new Setup("a tile of each", perHead(bf16, Sizes.of(1, 256, 128, 1, 64))),
        new Setup("tails, shared heads", perHead(bf16, new Sizes(2, 140, 200, 4, 2, 64, 64))),
        new Setup("two tiles, 128 wide", perHead(ElementType.F16, Sizes.of(1, 300, 260, 1, 128))),
        new Setup("96 wide, causal", perHead(bf16, Sizes.of(1, 100, 130, 1, 96)).with(Band.CAUSAL)),
        new Setup("192 and 128 wide", perHead(bf16, new Sizes(1, 70, 140, 2, 1, 192, 128))),
        new Setup("window", perHead(bf16, Sizes.of(1, 150, 170, 1, 64)).with(Band.window(40, 3))),
        new Setup("causal, rows that see nothing", perHead(bf16, Sizes.of(1, 150, 20, 1, 64)).with(Band.CAUSAL)),
        new Setup("no keys", perHead(bf16, Sizes.of(1, 30, 0, 1, 64))),
        new Setup("one factor each", dense(bf16, ElementType.E4M3, Sizes.of(2, 40, 70, 2, 64),
            Factors.perTensor("descaleQ"), Factors.perTensor("descaleK"), Factors.perTensor("descaleV"))),
        new Setup("P of e5m2", dense(bf16, ElementType.E5M2, Sizes.of(1, 70, 150, 1, 64),
            Factors.perHead("descaleQ", 1), Factors.perHead("descaleK", 1), Factors.perHead("descaleV", 1))),
        blocks("blocks of 128", Sizes.of(1, 200, 300, 2, 64), 128, 128, 128, Band.ALL),
        blocks("blocks of 64", new Sizes(2, 100, 200, 2, 1, 128, 128), 16, 64, 64, Band.ALL),
        blocks("blocks of K alone", Sizes.of(1, 100, 200, 1, 64), Factors.WHOLE, 128, Factors.WHOLE, Band.ALL),
        blocks("blocks of V alone, causal", Sizes.of(1, 200, 300, 1, 64), 1, Factors.WHOLE, 64, Band.CAUSAL),
        new Setup("heads apart, no logarithms", headsApart()),
        softcap(), packed());
  }

  private static AttentionProblem perHead(ElementType output, Sizes s) {
    return AttentionProblem.dense(Quantized.perHead(output, s), s);
  }

  private static AttentionProblem dense(ElementType output, ElementType p, Sizes s, Factors q, Factors k, Factors v) {
    return AttentionProblem.dense(new Quantized(output, p, q, k, v), s);
  }

  private static Setup blocks(String name, Sizes s, int q, int k, int v, Band band) {
    return new Setup(name, dense(ElementType.BF16, ElementType.E4M3, s,
        Factors.perBlock("descaleQ", s.heads(), s.queries(), q),
        Factors.perBlock("descaleK", s.keyHeads(), s.keys(), k),
        Factors.perBlock("descaleV", s.keyHeads(), s.keys(), v)).with(band));
  }

  private static AttentionProblem headsApart() {
    return perHead(ElementType.F16, new Sizes(2, 40, 70, 4, 2, 64, 64)).at(View.bhsd("Q", 40, 4, 64),
        View.bhsd("K", 70, 2, 64), View.bhsd("V", 70, 2, 64), View.bhsd("O", 40, 4, 64)).with(Band.CAUSAL)
        .withLogarithms(Optional.empty());
  }

  private static Setup softcap() {
    var p = perHead(ElementType.BF16, Sizes.of(1, 70, 90, 1, 64)).with(Band.CAUSAL)
        .with(new Modification(Optional.of(ScoreMod.softcap(1.5f)), Optional.empty()));
    return new Setup("softcap", p, new int[] {70}, new int[] {90}, 1.5);
  }

  private static Setup packed() {
    int[] queries = {70, 0, 1, 129, 33};
    int[] keys = {20, 5, 0, 140, 64};
    var s = new Sizes(1, 233, 229, 2, 1, 64, 64);
    var p = perHead(ElementType.BF16, s).with(Band.CAUSAL).with(new Packed("cuQ", "cuK", queries.length, 129));
    return new Setup("packed", p, queries, keys, 0);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("problems")
  void outputAndLogarithmsAreThoseOfFp64(Setup setup) {
    for (long seed = 1; seed <= SEEDS; seed++) check(setup, seed, inputs(setup, seed));
  }

  /** CTAs that take over the tiles of others, with factors of heads and of blocks. */
  @Test
  void cancelledLaunchesGiveTheSame() {
    var kernel = new Sm100AttentionKernel(true);
    var heads = new Setup("heads", perHead(ElementType.BF16, Sizes.of(1, 600, 140, 1, 64)));
    var blocks = blocks("blocks", Sizes.of(1, 300, 200, 2, 64), 128, 64, 64, Band.CAUSAL);
    for (var setup : List.of(heads, blocks)) check(kernel, setup, 4, inputs(setup, 4));
  }

  /** A zero block of K has the factor 0, and hidden keys beside it are none the less hidden. */
  @Test
  void aFactorMayBeZero() {
    var setup = blocks("zero", Sizes.of(1, 100, 200, 1, 64), 128, 128, 128, Band.CAUSAL);
    for (var name : List.of("descaleK", "descaleV")) {
      var buffers = inputs(setup, 3);
      buffers.get(name).set(ValueLayout.JAVA_FLOAT_UNALIGNED, Float.BYTES, 0f);
      check(setup, 3, buffers);
    }
  }

  @Test
  void refusesFactorsOfFewerKeysThanABlockHas() {
    var setup = blocks("few", Sizes.of(1, 100, 200, 1, 64), 128, 32, 128, Band.ALL);
    assertEquals(Optional.of("blocks of 64 keys need one factor of K and one of V each: factors of 32 and 128 rows are "
        + "no multiples"), KERNEL.refusal(setup.problem));
  }

  private static Map<String, MemorySegment> inputs(Setup setup, long seed) {
    var p = setup.problem;
    var s = p.sizes();
    var random = new Random(seed);
    var buffers = new HashMap<String, MemorySegment>();
    long queries = (long) s.batch() * s.queries() * s.heads();
    long keys = (long) s.batch() * s.keys() * s.keyHeads();
    buffers.put("Q", Buffers.normal(p.type(), queries * s.headDim(), seed));
    buffers.put("K", Buffers.normal(p.type(), keys * s.headDim(), seed + 1));
    buffers.put("V", Buffers.normal(p.type(), keys * s.valueDim(), seed + 2));
    buffers.put("O", Buffers.poisoned(p.outputType(), queries * s.valueDim()));
    buffers.put("LSE", Buffers.poisoned(ElementType.F32, queries));
    int entries = p.packed().map(Packed::sequences).orElse(s.batch());
    for (var factors : List.of(p.quantized().get().q(), p.quantized().get().k(), p.quantized().get().v())) {
      boolean ofQueries = factors.buffer().equals("descaleQ");
      int count = factors.blocks(ofQueries ? s.queries() : s.keys()) * (ofQueries ? s.heads() : s.keyHeads()) * entries;
      var buffer = Buffers.poisoned(ElementType.F32, count);
      for (int i = 0; i < count; i++) {
        buffer.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) Math.exp(1.5 * random.nextGaussian()));
      }
      buffers.put(factors.buffer(), buffer);
    }
    p.packed().ifPresent(_ -> {
      buffers.put("cuQ", cumulated(setup.queries));
      buffers.put("cuK", cumulated(setup.keys));
    });
    return buffers;
  }

  private static MemorySegment cumulated(int[] lengths) {
    var buffer = Buffers.zeros(ElementType.I32, lengths.length + 1L);
    for (int i = 0; i < lengths.length; i++) {
      buffer.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i + 1,
          buffer.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i) + lengths[i]);
    }
    return buffer;
  }

  private static void check(Setup setup, long seed, Map<String, MemorySegment> buffers) {
    check(KERNEL, setup, seed, buffers);
  }

  private static void check(Sm100AttentionKernel kernel, Setup setup, long seed, Map<String, MemorySegment> buffers) {
    assertEquals(Optional.empty(), kernel.refusal(setup.problem));
    var outcome = new SimulatorBackend(seed).run(kernel.prepare(setup.problem).on(buffers));
    assertEquals(List.of(), outcome.findings());
    var rows = new Rows(setup, buffers);
    int query = 0;
    int key = 0;
    for (int sequence = 0; sequence < setup.queries.length; sequence++) {
      for (int batch = 0; batch < setup.problem.sizes().batch(); batch++) {
        for (int head = 0; head < setup.problem.sizes().heads(); head++) {
          for (int i = 0; i < setup.queries[sequence]; i++) rows.check(sequence, batch, head, query, i, key);
        }
      }
      query += setup.queries[sequence];
      key += setup.keys[sequence];
    }
    // The bound is that of the worst case; rounding errors of both signs stay far below.
    assertTrue(rows.squares <= 0.1 * rows.bounds, "errors " + rows.squares + ", bounds " + rows.bounds);
  }

  /** Computes rows in FP64. */
  private static final class Rows {
    private final Setup setup;
    private final AttentionProblem p;
    private final Quantized quantized;
    private final Map<String, MemorySegment> buffers;
    private double squares;
    private double bounds = Double.MIN_NORMAL;

    Rows(Setup setup, Map<String, MemorySegment> buffers) {
      this.setup = setup;
      p = setup.problem;
      quantized = p.quantized().orElseThrow();
      this.buffers = buffers;
    }

    void check(int sequence, int batch, int head, int firstQuery, int query, int firstKey) {
      int keys = setup.keys[sequence];
      int entry = p.packed().isPresent() ? sequence : batch;
      int keyHead = head / p.sizes().sharers();
      double[] scores = new double[keys];
      for (int key = 0; key < keys; key++) {
        scores[key] = score(entry, batch, head, keyHead, firstQuery + query, query, firstKey + key, key,
            keys - setup.queries[sequence]);
      }
      double most = Arrays.stream(scores).max().orElse(Double.NEGATIVE_INFINITY);
      double sum = Arrays.stream(scores).map(s -> s == most ? 1 : Math.exp(s - most)).sum();
      if (most == Double.NEGATIVE_INFINITY) sum = 0;
      double log = most + Math.log(sum);
      p.lse().ifPresent(lse -> {
        double ours = element(ElementType.F32, lse, batch, firstQuery + query, head, 0);
        assertTrue(ours == log || Math.abs(ours - log) <= 1e-5 * Math.max(1, Math.abs(log)),
            () -> "LSE of row " + query + ": " + ours + ", expected " + log);
      });
      double largest = IntStream.range(0, keys).mapToDouble(key -> factor(quantized.v(), entry, keyHead, key)).max()
          .orElse(0);
      double rounding = quantized.probabilities() == ElementType.E4M3 ? 0x1p-4 : 0x1p-3;
      for (int dim = 0; dim < p.sizes().valueDim(); dim++) {
        double value = 0;
        double magnitude = 0;
        double subnormals = 0;
        for (int key = 0; key < keys && sum > 0; key++) {
          double code = element(p.type(), p.v(), batch, firstKey + key, keyHead, dim);
          double v = code * factor(quantized.v(), entry, keyHead, key);
          value += Math.exp(scores[key] - most) / sum * v;
          magnitude += Math.exp(scores[key] - most) / sum * Math.abs(v);
          // A subnormal P is rounded to multiples of 2⁻⁹, where the largest is 2⁸.
          subnormals += 0x1p-18 * Math.abs(code) * largest;
        }
        double ours = element(p.outputType(), p.o(), batch, firstQuery + query, head, dim);
        double bound = rounding * magnitude + Math.abs(value) * 0x1p-8 + subnormals + 1e-6;
        int at = dim;
        double expected = value;
        assertTrue(Math.abs(ours - value) <= bound, () -> "O of query " + query + ", head " + head + ", dim " + at
            + ": " + ours + ", expected " + expected + " within " + bound);
        squares += (ours - value) * (ours - value);
        bounds += bound * bound;
      }
    }

    private double score(int entry, int batch, int head, int keyHead, int q, int query, int k, int key, int shift) {
      if (p.band().right().isPresent() && key > query + shift + p.band().right().getAsInt()
          || p.band().left().isPresent() && key < query + shift - p.band().left().getAsInt()) {
        return Double.NEGATIVE_INFINITY;
      }
      double dot = 0;
      for (int dim = 0; dim < p.sizes().headDim(); dim++) {
        dot += element(p.type(), p.q(), batch, q, head, dim) * element(p.type(), p.k(), batch, k, keyHead, dim);
      }
      double scaled = dot * p.scale() * factor(quantized.q(), entry, head, query)
          * factor(quantized.k(), entry, keyHead, key);
      return setup.cap > 0 ? setup.cap * Math.tanh(scaled / setup.cap) : scaled;
    }

    private double factor(Factors f, int entry, int head, int row) {
      return Buffers.single(buffers.get(f.buffer()), row / f.rows() * f.block() + head * f.head() + entry * f.batch());
    }

    private double element(ElementType type, View v, int batch, int row, int head, int dim) {
      var buffer = buffers.get(v.buffer());
      long place = batch * v.batch() + row * v.sequence() + head * v.head() + dim * v.dim();
      return new TensorView(type, buffer, Layout.of(buffer.byteSize() / type.bytes(), 1)).value(place);
    }
  }
}
