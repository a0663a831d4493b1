package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionQuantizer;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.AttentionReference;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;

/** {@code run attention} with e4m3 and mxf8 on the simulator, against attention of the numbers before quantisation. */
class RunQuantizedAttentionTest {
  private static final Sizes SIZES = new Sizes(2, 20, 70, 4, 2, 64, 64);
  /** Codes keep four bits of a number, and P averages over keys. */
  private static final double NEAR = 0.06;
  private static final Rounding NEAREST = Rounding.NEAREST_EVEN;

  @TempDir
  Path folder;

  /** Q, K and V as (B,S,H,D). */
  private record Operands(float[] q, float[] k, float[] v) {
    /** Normally distributed, with a column of Q and K that is as large as the others together. */
    static Operands of(Sizes s, float outlier, long seed) {
      var random = new SplittableRandom(seed);
      return new Operands(numbers(random, s.batch() * s.queries() * s.heads(), s.headDim(), outlier),
          numbers(random, s.batch() * s.keys() * s.keyHeads(), s.headDim(), 1),
          numbers(random, s.batch() * s.keys() * s.keyHeads(), s.valueDim(), 1));
    }

    private static float[] numbers(SplittableRandom random, int rows, int dim, float outlier) {
      var numbers = new float[rows * dim];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = (float) random.nextGaussian() * (i % dim == 5 ? outlier : 1);
      }
      return numbers;
    }

    double[] attention(Sizes s, boolean causal) {
      return new AttentionReference(view(q, s.batch(), s.queries(), s.heads(), s.headDim()),
          view(k, s.batch(), s.keys(), s.keyHeads(), s.headDim()),
          view(v, s.batch(), s.keys(), s.keyHeads(), s.valueDim()), 1 / Math.sqrt(s.headDim()),
          causal ? ScoreRule.causal(s.queries(), s.keys()) : ScoreRule.NONE).exact().o();
    }

    private static TensorView view(float[] values, int batch, int rows, int heads, int dim) {
      return new TensorView(ElementType.F32, MemorySegment.ofArray(values), layout(batch, rows, heads, dim));
    }
  }

  private static Layout layout(int batch, int rows, int heads, int dim) {
    return new Layout(IntTuple.flat(batch, rows, heads, dim),
        IntTuple.flat((long) rows * heads * dim, (long) heads * dim, dim, 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"head", "tensor"})
  void numbersAreQuantised(String scales) throws IOException {
    var operands = Operands.of(SIZES, 1, 3);
    write(operands, SIZES);
    var run = run("--dtype", "e4m3", "--scales", scales, "--causal", "--lse", path("lse.npy"));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("in e4m3 by sm90_attention on sim"), run.out());
    // Numbers of 32 bits give O in bf16.
    assertTrue(error(operands.attention(SIZES, true), ElementType.BF16, SIZES) < NEAR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm100_attention", "sm120_attention"})
  void numbersGetScalesOf32Neighbours(String kernel) throws IOException {
    var operands = Operands.of(SIZES, 1, 3);
    write(operands, SIZES);
    var run = run("--dtype", "mxf8", "--kernel", kernel, "--causal", "--out-dtype", "f16", "--lse", path("lse.npy"));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("in mxf8 by " + kernel + " on sim"), run.out());
    assertTrue(error(operands.attention(SIZES, true), ElementType.F16, SIZES) < NEAR);
  }

  @Test
  void packedSequencesGetScalesOf32Neighbours() throws IOException {
    var s = Sizes.of(1, 150, 150, 2, 32);
    var operands = Operands.of(s, 1, 8);
    write(operands, s);
    var lengths = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putInt(0).putInt(140).putInt(140).putInt(150);
    Files.write(folder.resolve("cu.npy"), Npy.file(1, Npy.header("<i4", false, "(4,)"), lengths.array()));
    var run = run("--dtype", "mxf8", "--varlen", path("cu.npy"));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var last = Sizes.of(1, 10, 10, 2, 32);
    var alone = new Operands(tail(operands.q), tail(operands.k), tail(operands.v)).attention(last, false);
    var found = tail(numbers(ElementType.BF16, s));
    var layout = layout(1, 10, 2, 32);
    for (int i = 0; i < alone.length; i++) {
      assertEquals(alone[i], found[Math.toIntExact(layout.apply(i))], 0.2, "element " + i);
    }
  }

  /** The last ten of rows of 64. */
  private static float[] tail(float[] values) {
    return Arrays.copyOfRange(values, values.length - 10 * 64, values.length);
  }

  @Test
  void blockScalesAreRefusedWithTheRemedy() throws IOException {
    var s = Sizes.of(1, 4, 4, 1, 16);
    write(Operands.of(s, 1, 9), s);
    refused("only with --dtype e4m3: --scales, --hadamard", "--dtype", "mxf8", "--hadamard", "1", "--scales", "head");
    refused("sm90_attention: mxf8 operands need tensor cores with block scales: take sm100_attention or "
        + "sm120_attention, or e4m3 operands", "--dtype", "mxf8", "--kernel", "sm90_attention");
    for (var name : List.of("q", "k", "v")) codes(name, "safetensors", shape(1, 4, 1, 16), new byte[64]);
    var run = Cli.run("run", "attention", "--q", path("q.safetensors:x"), "--k", path("k.safetensors:x"), "--v",
        path("v.safetensors:x"), "--out", path("o.npy"), "--dtype", "mxf8");
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains("has codes of e4m3; needed for mxf8 are numbers, whose scales are computed"),
        run.err());
    var odd = Sizes.of(1, 4, 4, 1, 24);
    write(Operands.of(odd, 1, 9), odd);
    refused("has head dimension 24; needed for mxf8 is a multiple of 16: append zeros", "--dtype", "mxf8");
  }

  @Test
  void theHadamardTransformSpreadsOutliers() throws IOException {
    var operands = Operands.of(SIZES, 100, 4);
    write(operands, SIZES);
    var exact = operands.attention(SIZES, false);
    assertEquals(Exit.OK, run("--dtype", "e4m3", "--out-dtype", "f16").exitCode());
    double plain = error(exact, ElementType.F16, SIZES);
    var run = run("--dtype", "e4m3", "--out-dtype", "f16", "--hadamard", "7");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    double transformed = error(exact, ElementType.F16, SIZES);
    assertTrue(transformed < plain, transformed + " with the transform, " + plain + " without");
  }

  @Test
  void headsMayComeFirst() throws IOException {
    var operands = Operands.of(SIZES, 1, 5);
    write(operands, SIZES);
    assertEquals(Exit.OK, run("--dtype", "e4m3").exitCode());
    var expected = numbers(ElementType.BF16, SIZES);
    var s = SIZES;
    floats("q.npy", shape(s.batch(), s.heads(), s.queries(), s.headDim()),
        headsFirst(operands.q, s.batch(), s.queries(), s.heads(), s.headDim()));
    floats("k.npy", shape(s.batch(), s.keyHeads(), s.keys(), s.headDim()),
        headsFirst(operands.k, s.batch(), s.keys(), s.keyHeads(), s.headDim()));
    floats("v.npy", shape(s.batch(), s.keyHeads(), s.keys(), s.valueDim()),
        headsFirst(operands.v, s.batch(), s.keys(), s.keyHeads(), s.valueDim()));
    var run = run("--dtype", "e4m3", "--layout", "bhsd");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertArrayEquals(headsFirst(expected, s.batch(), s.queries(), s.heads(), s.valueDim()),
        numbers(ElementType.BF16, SIZES));
  }

  /** All V are one and the scores are equal: truncated sums of all keys are too small, those of blocks are not. */
  @Test
  void sumsOfBlocksLoseNothing() throws IOException {
    var s = Sizes.of(1, 3, 3000, 1, 16);
    codes("q", "npy", shape(1, 3, 1, 16), new byte[3 * 16]);
    var values = new byte[3000 * 16];
    Arrays.fill(values, (byte) ElementType.E4M3.fromDouble(1.125, NEAREST));
    codes("k", "npy", shape(1, 3000, 1, 16), values);
    codes("v", "npy", shape(1, 3000, 1, 16), values);
    assertEquals(Exit.OK, run("--dtype", "e4m3", "--accumulation", "fast", "--splits", "1").exitCode());
    for (var o : numbers(ElementType.BF16, s)) assertTrue(o < 1.115, "" + o);
    assertEquals(Exit.OK, run("--dtype", "e4m3", "--accumulation", "promoted", "--splits", "1").exitCode());
    for (var o : numbers(ElementType.BF16, s)) assertEquals(1.125f, o);
    for (var name : List.of("q", "k", "v", "o")) Files.delete(folder.resolve(name + ".npy"));
    write(Operands.of(s, 1, 9), s);
    refused("invalid --accumulation slow: fast or promoted", "--dtype", "e4m3", "--accumulation", "slow");
    refused("only with --dtype e4m3: --accumulation", "--accumulation", "promoted");
  }

  /** Room for 80 keys in columns of 70. */
  @Test
  void valuesMayLieByColumns() throws IOException {
    var operands = Operands.of(SIZES, 1, 5);
    write(operands, SIZES);
    writeColumns(operands.v, SIZES);
    var run = run("--dtype", "e4m3", "--v-layout", "bhds", "--causal");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("in e4m3 by sm90_attention on sim"), run.out());
    assertTrue(error(operands.attention(SIZES, true), ElementType.BF16, SIZES) < NEAR);
  }

  @Test
  void columnsThatDoNotFitAreRefusedAndSequencesMayBeginAnywhere() throws IOException {
    var s = Sizes.of(1, 20, 20, 1, 16);
    var operands = Operands.of(s, 1, 5);
    write(operands, s);
    refused("has 1×20×1×16 elements; needed for --v-layout bhds beside ", "--dtype", "e4m3", "--v-layout", "bhds");
    writeColumns(operands.v, s);
    refused("invalid --v-layout bshd: bhds", "--dtype", "e4m3", "--v-layout", "bshd");
    refused("--v-layout does not go with --dtype mxf8", "--dtype", "mxf8", "--v-layout", "bhds");
    refused("sm89_attention: V is column-major, its stride along the keys is 1: give rows of V", "--dtype", "e4m3",
        "--v-layout", "bhds", "--kernel", "sm89_attention");
    var lengths = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putInt(0).putInt(7).putInt(20).array();
    Files.write(folder.resolve("cu.npy"), Npy.file(1, Npy.header("<i4", false, "(3,)"), lengths));
    refused("packed sequences begin at any key, but tensor copies of column-major V at multiples of 16 bytes",
        "--dtype", "e4m3", "--v-layout", "bhds", "--varlen", path("cu.npy"), "--kernel", "sm100_attention");
    // The second sequence alone, whose columns begin at key 7.
    assertEquals(Exit.OK, run("--dtype", "e4m3", "--v-layout", "bhds", "--varlen", path("cu.npy")).exitCode());
    var last = Sizes.of(1, 13, 13, 1, 16);
    var alone = new Operands(Arrays.copyOfRange(operands.q, 7 * 16, 20 * 16),
        Arrays.copyOfRange(operands.k, 7 * 16, 20 * 16), Arrays.copyOfRange(operands.v, 7 * 16, 20 * 16))
            .attention(last, false);
    var found = numbers(ElementType.BF16, s);
    for (int row = 0; row < 13; row++) {
      for (int d = 0; d < 16; d++) assertEquals(alone[row + 13 * d], found[(7 + row) * 16 + d], 0.3, row + ", " + d);
    }
  }

  private void writeColumns(float[] v, Sizes s) throws IOException {
    var columns = new float[v.length];
    for (int i = 0; i < v.length; i++) {
      int d = i % s.valueDim();
      int h = i / s.valueDim() % s.keyHeads();
      int key = i / s.valueDim() / s.keyHeads() % s.keys();
      int b = i / s.valueDim() / s.keyHeads() / s.keys();
      columns[((b * s.keyHeads() + h) * s.valueDim() + d) * s.keys() + key] = v[i];
    }
    floats("v.npy", shape(s.batch(), s.keyHeads(), s.valueDim(), s.keys()), columns);
  }

  private static float[] headsFirst(float[] values, int batch, int rows, int heads, int dim) {
    var result = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      int d = i % dim;
      int h = i / dim % heads;
      int s = i / dim / heads % rows;
      int b = i / dim / heads / rows;
      result[((b * heads + h) * rows + s) * dim + d] = values[i];
    }
    return result;
  }

  /** The codes and factors that numbers become give the bits that the numbers give. */
  @ParameterizedTest
  @CsvSource({"head, npy", "tensor, npy", "head, safetensors"})
  void codesComeWithTheirFactors(String scales, String kind) throws IOException {
    var operands = Operands.of(SIZES, 1, 6);
    write(operands, SIZES);
    assertEquals(Exit.OK, run("--dtype", "e4m3", "--scales", scales).exitCode());
    var expected = numbers(ElementType.BF16, SIZES);
    boolean head = scales.equals("head");
    try (var arena = Arena.ofConfined()) {
      var codes = (head ? AttentionQuantizer.perHead(ElementType.BF16) : AttentionQuantizer.perTensor(ElementType.BF16))
          .quantize(SIZES, operands.q, operands.k, operands.v, arena).buffers();
      int index = 0;
      for (var name : List.of("Q", "K", "V")) {
        int heads = index == 0 ? SIZES.heads() : SIZES.keyHeads();
        var shape = shape(SIZES.batch(), index == 0 ? SIZES.queries() : SIZES.keys(), heads, SIZES.headDim());
        codes(name.toLowerCase(), kind, shape, codes.get(name).toArray(ValueLayout.JAVA_BYTE));
        floats("d" + name.toLowerCase() + ".npy", head ? "(" + SIZES.batch() + ", " + heads + ")" : "(1,)",
            codes.get("descale" + name).toArray(ValueLayout.JAVA_FLOAT));
        index++;
      }
    }
    var arguments = new ArrayList<>(List.of("run", "attention", "--out", path("o.npy")));
    for (var name : List.of("q", "k", "v")) {
      var file = path(name + "." + kind) + (kind.equals("npy") ? "" : ":x");
      arguments.addAll(List.of("--" + name, file));
      arguments.addAll(List.of("--descale-" + name, path("d" + name + ".npy")));
    }
    // The type of a .safetensors file says what its bytes are.
    if (kind.equals("npy")) arguments.addAll(List.of("--dtype", "e4m3"));
    var run = Cli.run(arguments.toArray(String[]::new));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertArrayEquals(expected, numbers(ElementType.BF16, SIZES));
  }

  /** Codes 1 … in V, and no scores: O is their mean times V's factor. */
  @Test
  void factorsOfCodesAreOneUnlessTheyAreGiven() throws IOException {
    var s = Sizes.of(1, 3, 4, 1, 16);
    codes("q", "npy", shape(1, 3, 1, 16), new byte[3 * 16]);
    var values = new byte[4 * 16];
    for (int i = 0; i < values.length; i++) values[i] = (byte) ElementType.E4M3.fromDouble(i / 16 + 1, NEAREST);
    codes("k", "npy", shape(1, 4, 1, 16), values);
    codes("v", "npy", shape(1, 4, 1, 16), values);
    assertEquals(Exit.OK, run("--dtype", "e4m3").exitCode());
    for (var o : numbers(ElementType.BF16, s)) assertEquals(2.5f, o);
    floats("dv.npy", "(1, 1)", 4);
    assertEquals(Exit.OK, run("--dtype", "e4m3", "--descale-v", path("dv.npy")).exitCode());
    for (var o : numbers(ElementType.BF16, s)) assertEquals(10, o);
  }

  @Test
  void packedSequencesHaveFactorsOfTheirOwnInFilesOnly() throws IOException {
    var s = Sizes.of(1, 40, 40, 2, 16);
    var operands = Operands.of(s, 1, 8);
    write(operands, s);
    var lengths = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putInt(0).putInt(10).putInt(40).array();
    Files.write(folder.resolve("cu.npy"), Npy.file(1, Npy.header("<i4", false, "(3,)"), lengths));
    var run = run("--dtype", "e4m3", "--varlen", path("cu.npy"));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var first = Sizes.of(1, 10, 10, 2, 16);
    var alone = new Operands(head(operands.q), head(operands.k), head(operands.v)).attention(first, false);
    var found = numbers(ElementType.BF16, s);
    for (int row = 0; row < 10 * 2; row++) {
      for (int d = 0; d < 16; d++) {
        int index = row / 2 + 10 * (row % 2 + 2 * d);
        assertEquals(alone[index], found[row * 16 + d], 0.3, "row " + row + ", column " + d);
      }
    }
    codes("q", "npy", shape(1, 40, 2, 16), new byte[40 * 2 * 16]);
    codes("k", "npy", shape(1, 40, 2, 16), new byte[40 * 2 * 16]);
    var ones = new byte[40 * 2 * 16];
    Arrays.fill(ones, (byte) ElementType.E4M3.fromDouble(1, NEAREST));
    codes("v", "npy", shape(1, 40, 2, 16), ones);
    floats("dv.npy", "(2, 2)", 1, 2, 3, 4);
    run = run("--dtype", "e4m3", "--varlen", path("cu.npy"), "--descale-v", path("dv.npy"));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    found = numbers(ElementType.BF16, s);
    for (int i = 0; i < found.length; i++) {
      assertEquals(1 + i / 16 % 2 + (i / 32 < 10 ? 0 : 2), found[i], "element " + i);
    }
  }

  private static float[] head(float[] values) {
    return Arrays.copyOf(values, 10 * 2 * 16);
  }

  @Test
  void aRowOfJsonHasBothTypes() throws IOException {
    var s = Sizes.of(1, 4, 4, 1, 16);
    write(Operands.of(s, 1, 9), s);
    var row = run("--dtype", "e4m3", "--json").json().getFirst();
    assertEquals("e4m3", row.get("dtype").asString());
    assertEquals("bf16", row.get("outDtype").asString());
    assertEquals("sm90_attention", row.get("kernel").asString());
  }

  @Test
  void theKernelsOwnRefusalIsPrinted() throws IOException {
    var s = Sizes.of(1, 4, 4, 1, 16);
    write(Operands.of(s, 1, 9), s);
    refused("no kernel computes this attention: sm90_mla_decode: ", "--dtype", "e4m3", "--scales", "block:100");
    refused("sm90_attention: factors of 100 rows of K and 100 of V: take multiples of 128; sm89_attention: factors of "
        + "100 rows of K and 100 of V: multiples of 64; sm80_mla_decode: e4m3 operands need another kernel; "
        + "sm80_attention: e4m3 operands need another kernel", "--dtype", "e4m3", "--scales", "block:100");
    refused("sm80_attention: e4m3 operands need another kernel", "--dtype", "e4m3", "--kernel", "sm80_attention");
  }

  @Test
  void whatDoesNotGoTogetherIsRefusedWithTheRemedy() throws IOException {
    var s = Sizes.of(1, 4, 4, 1, 16);
    write(Operands.of(s, 1, 9), s);
    refused("invalid --scales rows: tensor, head or block:ROWS, such as block:128", "--dtype", "e4m3", "--scales",
        "rows");
    refused("invalid --scales block:0: ", "--dtype", "e4m3", "--scales", "block:0");
    refused("invalid --dtype e5m2: f16 or bf16 or e4m3", "--dtype", "e5m2");
    refused("invalid --out-dtype f32: f16 or bf16", "--dtype", "e4m3", "--out-dtype", "f32");
    refused("only with --dtype e4m3: --scales, --hadamard", "--hadamard", "1", "--scales", "head");
    floats("d.npy", "(1,)", 1);
    refused("--descale-k goes with codes, but " + path("q.npy") + " (1×4×1×16 f32) has numbers, whose factors are "
        + "computed: leave it out", "--dtype", "e4m3", "--descale-k", path("d.npy"));
    codes("k", "npy", shape(1, 4, 1, 16), new byte[64]);
    refused("its element type is '<u1'; needed is f2, f4 or f8, or bfloat16 stored as V2; codes of 8 bits need their "
        + "type, such as --dtype e4m3");
    refused("give codes for all of Q, K and V, or for none", "--dtype", "e4m3");
    for (var name : List.of("q", "v")) codes(name, "npy", shape(1, 4, 1, 16), new byte[64]);
    refused("--hadamard transforms numbers, but ", "--dtype", "e4m3", "--hadamard", "1");
    floats("d.npy", "(1, 2)", 1, 1);
    refused(path("d.npy") + ": has 1×2 elements of f32; needed for descaleQ are 1×1, or 1, of f32", "--dtype", "e4m3",
        "--descale-q", path("d.npy"));
    floats("d.npy", "(1, 1, 2)", 1, 1);
    refused("; say --scales block:ROWS for blocks", "--dtype", "e4m3", "--descale-q", path("d.npy"));
    for (var bad : new float[] {0, -1, Float.NaN, Float.POSITIVE_INFINITY}) {
      floats("d.npy", "(1,)", bad);
      refused("element 0 is " + bad + "; needed are factors that are positive and finite", "--dtype", "e4m3",
          "--descale-v", path("d.npy"));
    }
    var gradients = Stream.of("do", "dq", "dk", "dv").flatMap(name -> Stream.of("--" + name, path(name + ".npy")));
    var run = Cli.run(Stream.concat(Stream.of("run", "attention", "--q", path("q.npy"), "--k", path("k.npy"), "--v",
        path("v.npy"), "--dtype", "e4m3", "--backward"), gradients).toArray(String[]::new));
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains("no gradients of e4m3 operands: give 16-bit Q, K and V"), run.err());
    var odd = Sizes.of(1, 4, 4, 1, 24);
    write(Operands.of(odd, 1, 9), odd);
    refused("has head dimension 24; needed for e4m3 is a multiple of 16: append zeros", "--dtype", "e4m3");
  }

  private void refused(String why, String... arguments) {
    var run = run(arguments);
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(why), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertFalse(Files.exists(folder.resolve("o.npy")));
  }

  private Cli run(String... arguments) {
    return Cli.run(Stream.concat(Stream.of("run", "attention", "--q", path("q.npy"), "--k", path("k.npy"), "--v",
        path("v.npy"), "--out", path("o.npy")), Stream.of(arguments)).toArray(String[]::new));
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static String shape(int... extents) {
    return Arrays.toString(extents).replace('[', '(').replace(']', ')');
  }

  private void write(Operands operands, Sizes s) throws IOException {
    floats("q.npy", shape(s.batch(), s.queries(), s.heads(), s.headDim()), operands.q);
    floats("k.npy", shape(s.batch(), s.keys(), s.keyHeads(), s.headDim()), operands.k);
    floats("v.npy", shape(s.batch(), s.keys(), s.keyHeads(), s.valueDim()), operands.v);
  }

  private void floats(String name, String shape, float... values) throws IOException {
    Files.write(folder.resolve(name), Npy.file(1, Npy.header("<f4", false, shape), Npy.floats(values)));
  }

  private void codes(String name, String kind, String shape, byte[] codes) throws IOException {
    if (kind.equals("npy")) {
      Files.write(folder.resolve(name + ".npy"), Npy.file(1, Npy.header("|u1", false, shape), codes));
      return;
    }
    var header = "{\"x\":{\"dtype\":\"F8_E4M3\",\"shape\":" + shape.replace('(', '[').replace(')', ']')
        + ",\"data_offsets\":[0," + codes.length + "]}}";
    Files.write(folder.resolve(name + ".safetensors"), ByteBuffer.allocate(8 + header.length() + codes.length)
        .order(ByteOrder.LITTLE_ENDIAN).putLong(header.length()).put(header.getBytes(StandardCharsets.US_ASCII))
        .put(codes).array());
  }

  /** The elements of O in the order of the file. */
  private float[] numbers(ElementType type, Sizes s) throws IOException {
    var all = Files.readAllBytes(folder.resolve("o.npy"));
    var numbers = new float[s.batch() * s.queries() * s.heads() * s.valueDim()];
    var data = ByteBuffer.wrap(all, all.length - 2 * numbers.length, 2 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < numbers.length; i++) numbers[i] = (float) type.toDouble(data.getShort());
    return numbers;
  }

  /** The root mean square difference of O in the file, (B,S,H,D). */
  private double error(double[] exact, ElementType type, Sizes s) throws IOException {
    var numbers = numbers(type, s);
    var layout = layout(s.batch(), s.queries(), s.heads(), s.valueDim());
    double squares = 0;
    for (int i = 0; i < exact.length; i++) {
      double difference = numbers[Math.toIntExact(layout.apply(i))] - exact[i];
      squares += difference * difference;
    }
    return Math.sqrt(squares / exact.length);
  }
}
