package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.function.IntToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernels.Pointwise;
import tilewright.numerics.ElementType;

/** Every operator against a plain reference in FP64, whatever the machine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OperatorContract {
  private static final long SEED = 20260727;

  private final Numbers numbers = new Numbers(SEED);
  private Ops ops;

  abstract Ops openOps();

  @BeforeAll
  void open() {
    ops = openOps();
  }

  @AfterAll
  void close() {
    if (ops != null) ops.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F16", "BF16", "E4M3"})
  void numbersComeBackRounded(ElementType type) {
    var given = new float[] {0, -0f, 1.001f, -3.14159f, 1e-4f, 300, Float.NaN};
    var back = ops.tensor(type, given, given.length).floats();
    for (int i = 0; i < given.length; i++) assertEquals((float) type.round(given[i]), back[i]);
    assertArrayEquals(new int[] {-7, 0, 1 << 30}, ops.ints(new int[] {-7, 0, 1 << 30}, 3).ints());
  }

  @Test
  void viewsNeedNoCopy() {
    var all = IntStream.range(0, 24).toArray();
    var x = ops.ints(all, 2, 3, 4);
    assertArrayEquals(new int[] {4, 5, 6, 7, 16, 17, 18, 19}, x.slice(1, 1, 2).ints());
    assertArrayEquals(new int[] {13, 17, 21}, x.select(0, 1).select(1, 1).ints());
    assertArrayEquals(new int[] {0, 12, 4, 16, 8, 20}, x.transpose(0, 1).slice(-1, 0, 1).ints());
    assertArrayEquals(all, x.reshape(4, -1).ints());
    assertArrayEquals(new long[] {6, 4}, x.reshape(-1, 4).shape());
    assertArrayEquals(new int[] {8, 9, 10, 11}, x.slice(1, 2, 3).reshape(2, 4).select(0, 0).ints());
    assertArrayEquals(new int[] {5, 5, 5}, x.select(0, 0).select(0, 1).slice(0, 1, 2).expand(0, 3).ints());
    var message = assertThrows(IllegalArgumentException.class, () -> x.transpose(0, 2).reshape(24)).getMessage();
    assertTrue(message.contains("without a copy"), message);
    assertArrayEquals(new int[0], x.slice(0, 1, 1).ints());
    x.select(0, 1).select(0, 0).set(1, 2, 3, 4);
    x.select(2, 3).set(9, 9, 9, 9, 9, 9);
    assertArrayEquals(new int[] {1, 2, 3, 9}, x.select(0, 1).select(0, 0).ints());
  }

  @ParameterizedTest
  @CsvSource({"1,1,1,BF16", "5,33,48,BF16", "67,130,96,F16", "3,5,7,F32", "70,65,33,F32", "4,3,0,F32",
      "17,8,0,BF16", "0,8,8,F16", "2,2,129,F16"})
  void linear(int m, int n, int k, ElementType type) {
    var x = numbers.tensor(ops, type, m, k);
    var w = numbers.tensor(ops, type, n, k);
    var y = ops.linear(x, w);
    assertArrayEquals(new long[] {m, n}, y.shape());
    numbers.check("linear", y, product(x.floats(), w.floats(), n, k), k);
  }

  private static IntToDoubleFunction product(float[] x, float[] w, int n, int k) {
    return i -> IntStream.range(0, k).mapToDouble(j -> (double) x[i / n * k + j] * w[i % n * k + j]).sum();
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "BF16"})
  void linearWithBiasAndActivation(ElementType type) {
    var x = numbers.tensor(ops, type, 2, 3, 40);
    var w = numbers.tensor(ops, type, 24, 40);
    var bias = numbers.tensor(ops, type, 24);
    var y = ops.linear(x, w, bias, Pointwise.RELU);
    assertArrayEquals(new long[] {2, 3, 24}, y.shape());
    var product = product(x.floats(), w.floats(), 24, 40);
    var biases = bias.floats();
    numbers.check("linear, bias and relu", y, i -> Math.max(0, product.applyAsDouble(i) + biases[i % 24]), 40);
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F16"})
  void gemmOfViewsWithAlphaAndBeta(ElementType type) {
    // Every operand is a part of a larger tensor; B is transposed.
    var a = numbers.tensor(ops, type, 3, 20, 30).slice(1, 2, 15).slice(2, 1, 30);
    var b = numbers.tensor(ops, type, 3, 11, 29).transpose(1, 2);
    var c = numbers.tensor(ops, type, 3, 13, 22).slice(2, 11, 22);
    var y = ops.gemm(a, b, GemmOptions.of().alpha(0.5f).plus(2, c).output(ElementType.F32));
    float[] af = a.floats();
    float[] bf = b.floats();
    float[] cf = c.floats();
    numbers.check("gemm", y, i -> {
      int entry = i / (13 * 11);
      int row = i / 11 % 13;
      int column = i % 11;
      double sum = IntStream.range(0, 29).mapToDouble(k ->
          (double) af[(entry * 13 + row) * 29 + k] * bf[(entry * 29 + k) * 11 + column]).sum();
      return 0.5 * sum + 2.0 * cf[i];
    }, 60);
  }

  @Test
  void anOperandWithoutABatchIsEveryEntrys() {
    var a = numbers.tensor(ops, ElementType.BF16, 3, 5, 16);
    var b = numbers.tensor(ops, ElementType.BF16, 16, 9);
    var whole = ops.gemm(a.reshape(15, 16), b).floats();
    assertArrayEquals(whole, ops.gemm(a, b).floats());
    var aOfAll = numbers.tensor(ops, ElementType.BF16, 5, 16);
    var many = numbers.tensor(ops, ElementType.BF16, 2, 16, 9);
    var result = ops.gemm(aOfAll, many);
    assertArrayEquals(new long[] {2, 5, 9}, result.shape());
    assertArrayEquals(ops.gemm(aOfAll, many.select(0, 1)).floats(), result.select(0, 1).floats());
  }

  @Test
  void aProductGoesIntoAPartOfATensor() {
    var x = numbers.tensor(ops, ElementType.BF16, 4, 32);
    var w = numbers.tensor(ops, ElementType.BF16, 6, 32);
    var whole = ops.zeros(ElementType.BF16, 4, 20);
    ops.linear(x, w, GemmOptions.of().into(whole.slice(1, 5, 11)));
    assertArrayEquals(ops.linear(x, w).floats(), whole.slice(1, 5, 11).floats());
    assertArrayEquals(new float[20], whole.slice(1, 0, 5).floats());
    assertArrayEquals(new float[36], whole.slice(1, 11, 20).floats());
  }

  @ParameterizedTest
  @CsvSource({"1,5,5,4,4,64,-1,-1,0,BF16", "2,3,9,4,2,64,-1,0,0,BF16", "1,33,70,2,1,128,16,0,0,F16",
      "1,1,130,8,2,64,-1,0,0,BF16", "1,7,7,1,1,64,-1,-1,5,F16", "2,4,0,2,2,64,-1,-1,0,BF16", "1,0,4,2,2,64,-1,-1,0,F16",
      "1,9,9,2,2,40,-1,0,0,BF16"})
  void attention(int batch, int queries, int keys, int heads, int keyHeads, int dim, int left, int right, float cap,
      ElementType type) {
    var q = numbers.tensor(ops, type, batch, queries, heads, dim);
    // Heads before positions in memory, as a cache may have them.
    var k = numbers.tensor(ops, type, batch, keyHeads, keys, dim).transpose(1, 2);
    var v = numbers.tensor(ops, type, batch, keys, keyHeads, dim);
    var options = AttentionOptions.of().window(left, right);
    var o = ops.attention(q, k, v, cap > 0 ? options.softcap(cap).scale(0.5f) : options);
    assertArrayEquals(q.shape(), o.shape());
    double scale = cap > 0 ? 0.5 : 1 / Math.sqrt(dim);
    for (int b = 0; b < batch; b++) {
      for (int head = 0; head < heads; head++) {
        var qs = rows(q, b, head);
        var ks = rows(k, b, head * keyHeads / heads);
        var vs = rows(v, b, head * keyHeads / heads);
        numbers.check16("attention", o.select(0, b).select(1, head), i -> {
          int row = i / dim;
          int at = row + keys - queries;
          int first = left < 0 ? 0 : Math.max(0, at - left);
          int last = right < 0 ? keys : Math.min(keys, at + right + 1);
          return Numbers.attention(qs, ks, vs, row, i % dim, first, last, scale, cap);
        });
      }
    }
  }

  private static float[][] rows(DeviceTensor tensor, int batch, int head) {
    int dim = (int) tensor.size(3);
    var all = tensor.select(0, batch).select(1, head).floats();
    return IntStream.range(0, (int) tensor.size(1)).mapToObj(row ->
        Arrays.copyOfRange(all, row * dim, (row + 1) * dim)).toArray(float[][]::new);
  }

  @ParameterizedTest
  @CsvSource({"3,64,0,F32", "5,33,0,BF16", "2,1000,0,F16", "4,48,3,BF16", "4,48,8,F32", "1,1,0,F32", "0,8,0,F16"})
  void norms(int m, int n, int begin, ElementType type) {
    var x = numbers.tensor(ops, type, 2, m, n + 11).slice(2, begin, begin + n);
    var w = numbers.tensor(ops, type, n);
    var b = numbers.tensor(ops, type, n);
    float[] xs = x.floats();
    float[] ws = w.floats();
    float[] bs = b.floats();
    numbers.check("rmsNorm", ops.rmsNorm(x, w, 1e-3f), i -> {
      double squares = row(xs, i, n).map(v -> v * v).sum();
      return xs[i] / Math.sqrt(squares / n + 1e-3f) * ws[i % n];
    }, 20);
    numbers.check("layerNorm", ops.layerNorm(x, w, b, 1e-3f), i -> {
      double mean = row(xs, i, n).sum() / n;
      double variance = row(xs, i, n).map(v -> (v - mean) * (v - mean)).sum() / n;
      return (xs[i] - mean) / Math.sqrt(variance + 1e-3f) * ws[i % n] + bs[i % n];
    }, 20);
    numbers.check("softmax", ops.softmax(x),
        i -> Math.exp(xs[i]) / row(xs, i, n).map(Math::exp).sum(), 20);
  }

  private static DoubleStream row(float[] numbers, int i, int n) {
    return IntStream.range(i / n * n, i / n * n + n).mapToDouble(at -> numbers[at]);
  }

  @ParameterizedTest
  @CsvSource({"2,3,4,64,BF16", "1,1,2,6,F32", "1,5,1,128,F16", "3,1,4,64,BF16", "2,0,2,8,BF16"})
  void rope(int batch, int positions, int heads, int dim, ElementType type) {
    var x = numbers.tensor(ops, type, batch, heads, positions, dim).transpose(1, 2);
    float[] xs = x.floats();
    try (var tables = ops.ropeTables(100, dim, 10000).slice(7, 7 + positions)) {
      numbers.check("rope", ops.rope(x, tables.cos(), tables.sin()), i -> {
        int d = i % dim;
        int position = 7 + i / dim / heads % positions;
        double angle = position / Math.pow(10000, 2.0 * (d % (dim / 2)) / dim);
        double other = d < dim / 2 ? -xs[i + dim / 2] : xs[i - dim / 2];
        return xs[i] * Math.cos(angle) + other * Math.sin(angle);
      }, 10);
    }
    int[] own = IntStream.range(7, 7 + positions).toArray();
    try (var tables = ops.ropeTables(100, dim, 10000).slice(7, 7 + positions)) {
      assertArrayEquals(ops.rope(x, tables.cos(), tables.sin()).floats(), ops.rope(x, own, 10000).floats());
    }
  }

  @ParameterizedTest
  @CsvSource({"33,0,BF16", "64,0,F32", "16,8,F16", "10,3,F32"})
  void embedding(int n, int begin, ElementType type) {
    var table = numbers.tensor(ops, type, 9, n + begin).slice(1, begin, begin + n);
    var ids = ops.ints(new int[] {8, 0, 3, 3, 9, -1}, 3, 2);
    var rows = ops.embedding(table, ids);
    assertArrayEquals(new long[] {3, 2, n}, rows.shape());
    assertArrayEquals(table.select(0, 3).floats(), rows.select(0, 1).select(0, 1).floats());
    assertArrayEquals(table.select(0, 0).floats(), rows.select(0, 0).select(0, 1).floats());
    assertArrayEquals(new float[2 * n], rows.select(0, 2).floats());
  }

  @ParameterizedTest
  @CsvSource({"BF16,64", "F32,33", "F16,1"})
  void elementByElement(ElementType type, int n) {
    var both = numbers.tensor(ops, type, 5, 2 * n);
    var gate = both.slice(1, 0, n);
    var up = both.slice(1, n, 2 * n);
    float[] g = gate.floats();
    float[] u = up.floats();
    numbers.check("swiglu", ops.swiglu(gate, up), i -> g[i] / (1 + Math.exp(-g[i])) * u[i], 5);
    numbers.check("add", ops.add(gate, up), i -> (double) g[i] + u[i], 1);
    numbers.check("add of a row", ops.add(gate, up.select(0, 2)), i -> (double) g[i] + u[2 * n + i % n], 1);
    numbers.check("relu", ops.map(Pointwise.RELU, gate.transpose(0, 1)), i -> Math.max(0, g[i % 5 * n + i / 5]), 1);
  }

  @Test
  void copiesConvertAndFillPartsOfACache() {
    var cache = ops.zeros(ElementType.BF16, 2, 10, 3, 8);
    var step = numbers.tensor(ops, ElementType.F32, 2, 3, 4, 8).transpose(1, 2);
    var part = cache.slice(1, 5, 9);
    ops.copy(step, part);
    var given = step.floats();
    var held = part.floats();
    for (int i = 0; i < held.length; i++) assertEquals((float) ElementType.BF16.round(given[i]), held[i]);
    assertArrayEquals(new float[2 * 5 * 24], cache.slice(1, 0, 5).floats());
    assertArrayEquals(new float[2 * 24], cache.slice(1, 9, 10).floats());
    // A copy onto itself, a place further.
    var row = ops.ints(new int[] {1, 2, 3, 4, 5}, 5);
    ops.copy(row.slice(0, 0, 4), row.slice(0, 1, 5));
    assertArrayEquals(new int[] {1, 1, 2, 3, 4}, row.ints());
  }

  @Test
  void eightBitFloatsAreConverted() {
    var x = numbers.tensor(ops, ElementType.BF16, 3, 20);
    var codes = ops.convert(x, ElementType.E4M3);
    float[] given = x.floats();
    float[] held = ops.convert(codes, ElementType.F32).floats();
    for (int i = 0; i < held.length; i++) assertEquals((float) ElementType.E4M3.round(given[i]), held[i]);
  }

  @Test
  void bytesAreTakenAsTheyAre() {
    var bytes = MemorySegment.ofArray(new short[] {0x3F80, 0x4000, (short) 0xC040});
    assertArrayEquals(new float[] {1, 2, -3}, ops.tensor(ElementType.BF16, bytes, 3).floats());
    assertRefused("has 8 bytes, but 6 are given", () -> ops.tensor(ElementType.BF16, bytes, 4));
  }

  @ParameterizedTest
  @CsvSource({"5,200,BF16,0", "130,128,F32,0", "3,257,F16,0", "4,132,BF16,2"})
  void blocksAreQuantisedByTheirLargestMagnitude(int m, int k, ElementType type, int begin) {
    var x = numbers.tensor(ops, type, m, k + begin).slice(1, begin, begin + k);
    float[] given = x.floats();
    for (var blocks : QuantizedMatrix.Blocks.values()) {
      try (var quantized = ops.quantize(x, blocks)) {
        float[] codes = ops.convert(quantized.codes(), ElementType.F32).floats();
        float[] factors = quantized.factors().floats();
        int rows = blocks == QuantizedMatrix.Blocks.ROWS ? 1 : 128;
        int across = Math.ceilDiv(k, 128);
        assertArrayEquals(new long[] {Math.ceilDiv(m, rows), across}, quantized.factors().shape());
        var largest = new double[factors.length];
        for (int i = 0; i < given.length; i++) {
          int block = i / k / rows * across + i % k / 128;
          largest[block] = Math.max(largest[block], Math.abs(given[i]));
        }
        for (int i = 0; i < factors.length; i++) assertEquals(largest[i] / 448, factors[i], largest[i] * 1e-9);
        for (int i = 0; i < given.length; i++) {
          float factor = factors[i / k / rows * across + i % k / 128];
          double scaled = given[i] / factor;
          assertEquals(scaled, codes[i], 0.501 * ElementType.E4M3.ulp(scaled), blocks + " element " + i);
        }
      }
    }
  }

  @Test
  void exceptionsAreQuantisedToNaNs() {
    var x = ops.tensor(ElementType.F32, new float[] {1, Float.POSITIVE_INFINITY, -2, Float.NaN, 0, 0, 0, 0}, 2, 4);
    try (var quantized = ops.quantize(x, QuantizedMatrix.Blocks.ROWS)) {
      assertArrayEquals(new float[] {224, Float.NaN, -448, Float.NaN, 0, 0, 0, 0},
          ops.convert(quantized.codes(), ElementType.F32).floats());
      assertArrayEquals(new float[] {2f / 448, 1}, quantized.factors().floats());
    }
  }

  @ParameterizedTest
  @CsvSource({"5,48,256,BF16", "130,136,200,F32"})
  void quantisedMatricesAreMultiplied(int m, int n, int k, ElementType output) {
    var x = numbers.tensor(ops, ElementType.BF16, m, k);
    var w = numbers.tensor(ops, ElementType.BF16, n, k);
    try (var left = ops.quantize(x, QuantizedMatrix.Blocks.ROWS);
        var right = ops.quantize(w, QuantizedMatrix.Blocks.SQUARES)) {
      // Against the codes: what quantising has taken is no error of the product.
      double[] xs = scaled(left, 1);
      double[] ws = scaled(right, 128);
      var product = product(xs, ws, n, k);
      DeviceTensor y;
      try {
        y = ops.linear(left, right, output);
      } catch (IllegalArgumentException e) {
        assertTrue(e.getMessage().contains("are Hopper's"), e.getMessage());
        return;
      }
      // Hopper adds the products of 8-bit floats with 13 fraction bits.
      var magnitudes = product(magnitudes(xs), magnitudes(ws), n, k);
      numbers.within("scaled product", y, product, i -> magnitudes.applyAsDouble(i) * 0x1p-12);
    }
  }

  private static double[] magnitudes(double[] values) {
    return Arrays.stream(values).map(Math::abs).toArray();
  }

  private double[] scaled(QuantizedMatrix matrix, int rows) {
    float[] codes = ops.convert(matrix.codes(), ElementType.F32).floats();
    float[] factors = matrix.factors().floats();
    int k = (int) matrix.codes().size(1);
    var values = new double[codes.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = (double) codes[i] * factors[i / k / rows * Math.ceilDiv(k, 128) + i % k / 128];
    }
    return values;
  }

  private static IntToDoubleFunction product(double[] x, double[] w, int n, int k) {
    return i -> IntStream.range(0, k).mapToDouble(j -> x[i / n * k + j] * w[i % n * k + j]).sum();
  }

  /** A cache that grows by a position in each step, as in a decoder: every step's shapes are new. */
  @Test
  void aCacheGrowsStepByStep() {
    int dim = 64;
    var keys = numbers.tensor(ops, ElementType.BF16, 1, 5, 1, dim);
    var values = numbers.tensor(ops, ElementType.BF16, 1, 5, 1, dim);
    var q = numbers.tensor(ops, ElementType.BF16, 1, 5, 2, dim);
    var whole = ops.attention(q, keys, values, AttentionOptions.of().causal());
    var cacheK = ops.zeros(ElementType.BF16, 1, 8, 1, dim);
    var cacheV = ops.zeros(ElementType.BF16, 1, 8, 1, dim);
    for (int step = 0; step < 5; step++) {
      ops.copy(keys.slice(1, step, step + 1), cacheK.slice(1, step, step + 1));
      ops.copy(values.slice(1, step, step + 1), cacheV.slice(1, step, step + 1));
      try (var o = ops.attention(q.slice(1, step, step + 1), cacheK.slice(1, 0, step + 1),
          cacheV.slice(1, 0, step + 1), AttentionOptions.of().causal())) {
        float[] expected = whole.select(1, step).floats();
        float[] actual = o.floats();
        for (int i = 0; i < expected.length; i++) assertEquals(expected[i], actual[i], 0.02f, "step " + step);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"5,24,3,2", "1,7,1,1", "9,2056,4,8"})
  void weightedRows(int table, int n, int m, int choices) {
    var w = numbers.tensor(ops, ElementType.BF16, table, n);
    var indices = IntStream.range(0, m * choices).map(i -> i * 7 % (table + 2) - 1).toArray();
    var p = new float[m * choices];
    for (int i = 0; i < p.length; i++) p[i] = 0.25f * (i % 5);
    var y = ops.weightedRows(w, ops.ints(indices, m, choices), ops.tensor(ElementType.F32, p, m, choices));
    var rows = w.floats();
    numbers.check16("weighted rows", y, i -> {
      double sum = 0;
      for (int j = i / n * choices; j < (i / n + 1) * choices; j++) {
        if (indices[j] >= 0 && indices[j] < table) sum += (double) p[j] * rows[indices[j] * n + i % n];
      }
      return sum;
    });
  }

  @Test
  void sumsAreWrittenIntoATensor() {
    var x = ops.tensor(ElementType.F32, new float[] {1, 2, 3, 4}, 4);
    ops.add(x, ops.tensor(ElementType.BF16, new float[] {10, 20, 30, 40}, 4), x);
    assertArrayEquals(new float[] {11, 22, 33, 44}, x.floats());
    ops.add(x.slice(0, 0, 3), x.slice(0, 1, 4), x.slice(0, 1, 4));
    assertArrayEquals(new float[] {11, 33, 55, 77}, x.floats());
    ops.add(ops.tensor(ElementType.F32, new float[] {1, 1, 1, 1}, 4), x, x);
    assertArrayEquals(new float[] {12, 34, 56, 78}, x.floats());
    assertRefused("cannot be written into", () -> ops.add(x, x, x.slice(0, 0, 3)));
  }

  @Test
  void whatDoesNotFitIsSaid() {
    var x = ops.zeros(ElementType.BF16, 4, 16);
    var single = ops.zeros(ElementType.F32, 4, 16);
    var i8 = ops.zeros(ElementType.I8, 4, 16);
    assertRefused("cannot multiply bf16(4,16) by bf16(4,16)", () -> ops.gemm(x, x));
    assertRefused("no linear layer of bf16(4,16)", () -> ops.linear(x, x.transpose(0, 1)));
    assertRefused("the bias is bf16(16); needed is (4)", () -> ops.linear(x, x, x.select(0, 0)));
    assertRefused("no kernel computes this product", () -> ops.gemm(x, i8.transpose(0, 1)));
    assertRefused("attention takes (B,S,H,D)", () -> ops.attention(x, x, x));
    var heads = ops.zeros(ElementType.F32, 1, 4, 2, 64);
    assertRefused("no attention of f32", () -> ops.attention(heads, heads, heads));
    var huge = ops.zeros(ElementType.BF16, 1, 1, 1, 2000);
    assertRefused("no kernel computes this attention", () -> ops.attention(huge, huge, huge));
    var q = ops.zeros(ElementType.BF16, 1, 4, 2, 64);
    var state = new AttentionState(q, ops.zeros(ElementType.F32, 1, 2, 4));
    assertRefused("the gradient of the output of this attention cannot be bf16(1,1,1,2000)",
        () -> ops.attentionGradients(q, q, q, state, huge, AttentionOptions.of()));
    var none = q.slice(1, 0, 0);
    assertRefused("there is nothing in it", () -> ops.attentionGradients(q, none, none, state, q,
        AttentionOptions.of()));
    assertRefused("needed are (V,N), i32(M,J) and f32(M,J)", () -> ops.weightedRows(x, ops.ints(new int[2], 1, 2), x));
    assertRefused("no rms_norm of i8", () -> ops.rmsNorm(i8, i8.select(0, 0), 1e-5f));
    assertRefused("W is f32(16); needed is bf16(16)", () -> ops.rmsNorm(x, single.select(0, 0), 1e-5f));
    assertRefused("rope takes (B,S,H,D)", () -> ops.rope(x, single, single));
    assertRefused("indices are of bf16", () -> ops.embedding(x, x));
    assertRefused("shapes of", () -> ops.add(x, x.slice(1, 0, 3)));
    assertRefused("no kernel computes with or converts i8", () -> ops.add(i8, i8));
    assertRefused("cannot copy bf16(4,16) into f32(16)", () -> ops.copy(x, single.select(0, 0)));
    assertRefused("cannot write to", () -> ops.copy(x, x.slice(0, 0, 1).expand(0, 4)));
    assertRefused("slice 3…5 of mode 0 of bf16(4,16)", () -> x.slice(0, 3, 5));
    assertRefused("index 4 of mode 0", () -> x.select(0, 4));
    assertRefused("bf16(4,16) has no mode 2", () -> x.size(2));
    assertRefused("which are no [3, 5]", () -> x.reshape(3, 5));
    assertRefused("has 6 elements, but 5 are given", () -> ops.tensor(ElementType.F32, new float[5], 2, 3));
    assertRefused("extents are at least 0", () -> ops.empty(ElementType.F32, -1));
    assertRefused("holds no integers", x::ints);
    assertRefused("no quantizer of i8", () -> ops.quantize(i8, QuantizedMatrix.Blocks.ROWS));
    assertRefused("invalid window -2", () -> AttentionOptions.of().window(-2, 0));
    assertRefused("takes 2 values", () -> GemmOptions.of().activation(Pointwise.ADD));
  }

  static void assertRefused(String reason, Executable call) {
    var message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(reason), message);
  }

  @Test
  void closedTensorsAreSaid() {
    var x = ops.zeros(ElementType.F32, 4, 4);
    var view = x.select(0, 1);
    view.close();
    assertEquals(4, x.select(0, 0).floats().length);
    x.close();
    x.close();
    for (var use : List.<Executable>of(x::floats, view::floats, () -> ops.add(x, x),
        () -> x.slice(0, 0, 1), () -> x.set(1f))) {
      var message = assertThrows(IllegalStateException.class, use).getMessage();
      assertTrue(message.endsWith("is closed"), message);
    }
  }

  @Test
  void tensorsOfOthersAndClosedOperatorsAreSaid() {
    var x = ops.zeros(ElementType.F32, 4, 4);
    try (var others = Ops.simulator()) {
      assertRefused("belongs to other operators", () -> others.add(x, x));
    }
    var others = Ops.simulator();
    var theirs = others.zeros(ElementType.F32, 2);
    others.close();
    others.close();
    assertThrows(IllegalStateException.class, () -> others.zeros(ElementType.F32, 2));
    assertThrows(IllegalStateException.class, theirs::floats);
  }

  @Test
  void threadsShareOperators() throws Exception {
    var w = numbers.tensor(ops, ElementType.BF16, 24, 32);
    var inputs = IntStream.range(0, 8).mapToObj(i -> numbers.tensor(ops, ElementType.BF16, 1 + i % 3, 32)).toList();
    var alone = inputs.stream().map(x -> chain(x, w)).toList();
    try (var threads = Executors.newFixedThreadPool(4)) {
      var all = inputs.stream().map(x -> threads.submit(() -> {
        float[] last = {};
        for (int i = 0; i < 3; i++) last = chain(x, w);
        return last;
      })).toList();
      for (int i = 0; i < all.size(); i++) assertArrayEquals(alone.get(i), all.get(i).get());
    }
  }

  private float[] chain(DeviceTensor x, DeviceTensor w) {
    try (var y = ops.linear(x, w); var twice = ops.add(y, y); var z = ops.softmax(twice)) {
      return z.floats();
    }
  }
}
