package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.library.AttentionBackwardKernels;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionGradient;
import tilewright.reference.AttentionReference;
import tilewright.reference.Inputs;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;

/** Queries of zeros weigh all keys alike, so the output is the mean of the values that are seen. */
class RunAttentionTest {
  private static final int KEYS = 4;
  private static final int DIM = 8;

  @TempDir
  Path folder;

  @Test
  void theMeanOfTheValuesSeenIsWritten() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("k.npy", KEYS, i -> i);
    npy("v.npy", KEYS, i -> i / DIM);
    var run = run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("v.npy"), "--causal", "--lse",
        path("lse.npy"));
    assertEquals(0, run.exitCode(), run.err());
    var o = data("o.npy", 2 * KEYS * DIM);
    // Values 0, 1, 2, 3: query i sees the first i + 1.
    for (int i = 0; i < KEYS; i++) assertEquals(i / 2f, Float.float16ToFloat(o.getShort(2 * i * DIM)));
    var lse = data("lse.npy", 4 * KEYS);
    for (int i = 0; i < KEYS; i++) assertEquals(Math.log(i + 1), lse.getFloat(4 * i), 1e-6);
  }

  /** Query i has the scores 0 and, of the keys that it sees, i more by which key 0's is larger. */
  @Test
  void maximaAndSumsAreWrittenApart() throws IOException {
    npy("q.npy", KEYS, i -> i % DIM == 0 ? i / DIM : 0);
    npy("k.npy", KEYS, i -> i == 0 ? 1 : 0);
    npy("v.npy", KEYS, i -> i / DIM);
    var run = run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("v.npy"), "--causal", "--scale", "2", "--max",
        path("max.npy"), "--sum", path("sum.npy"));
    assertEquals(0, run.exitCode(), run.err());
    for (int i = 0; i < KEYS; i++) {
      assertEquals(2 * i, data("max.npy", 4 * KEYS).getFloat(4 * i), 1e-5);
      assertEquals(1 + i * Math.exp(-2 * i), data("sum.npy", 4 * KEYS).getFloat(4 * i), 1e-5);
    }
  }

  @Test
  void maximaGoWithSumsAndWithoutLogarithms() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS, i -> i);
    assertRefused("--max and --sum go together", "--max", path("max.npy"));
    assertRefused("do not go with --lse: leave it out", "--max", path("max.npy"), "--sum", path("sum.npy"), "--lse",
        path("lse.npy"));
    assertRefused("do not go with --gpus", "--max", path("max.npy"), "--sum", path("sum.npy"), "--gpus", "2");
    assertRefused("store logarithms", "--max", path("max.npy"), "--sum", path("sum.npy"), "--kernel",
        "sm100_attention");
  }

  @Test
  void severalDevicesComputeTheSame() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("k.npy", KEYS, i -> i);
    npy("v.npy", KEYS, i -> i / DIM);
    var run = run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("v.npy"), "--causal", "--gpus", "2");
    assertEquals(0, run.exitCode(), run.err());
    var o = data("o.npy", 2 * KEYS * DIM);
    for (int i = 0; i < KEYS; i++) assertEquals(i / 2f, Float.float16ToFloat(o.getShort(2 * i * DIM)));
  }

  @Test
  void whatSeveralDevicesDoNotComputeIsRefused() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS, i -> i);
    npy("longer.npy", 2 * KEYS, i -> i);
    assertRefused("4 tokens into 6 chunks", "--gpus", "3");
    assertRefused("at least 1", "--gpus", "0");
    assertRefused("leave out other options", "--gpus", "2", "--window", "1,0");
    assertRefused("leave them out", "--gpus", "2", "--kernel", "sm80_attention");
    var run = run("--q", path("v.npy"), "--k", path("longer.npy"), "--v", path("longer.npy"), "--gpus", "2");
    refused("4 queries and 8 keys", run);
  }

  /** Values 0, 1, 2, …: query i sees the first i + 1 keys, or in a window the last two of them. */
  @ParameterizedTest
  @ValueSource(ints = {257, 320, 520, 1024})
  void wideHeadsAreMaskedToo(int dim) throws IOException {
    npy("q.npy", 67, dim, _ -> 0);
    npy("v.npy", 67, dim, i -> i / dim);
    var files = List.of("--q", path("q.npy"), "--k", path("q.npy"), "--v", path("v.npy"));
    for (var mask : List.of(List.of("--causal"), List.of("--window", "1,0"))) {
      var run = run(Stream.of(files, mask).flatMap(List::stream).toArray(String[]::new));
      assertEquals(0, run.exitCode(), run.err());
      var o = data("o.npy", 2 * 67 * dim);
      for (int i = 0; i < 67; i++) {
        float mean = mask.size() == 1 ? i / 2f : Math.max(0, i - 0.5f);
        assertEquals(mean, Float.float16ToFloat(o.getShort(2 * (i * dim + dim - 1))), 0.05f);
      }
    }
  }

  @Test
  void headsThatAreTooWideAreRefused() throws IOException {
    npy("q.npy", 3, 1032, _ -> 0);
    var run = run("--q", path("q.npy"), "--k", path("q.npy"), "--v", path("q.npy"));
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains("head dimension 1032 is more than 1024"), run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm80_attention", "sm90_attention", "sm100_attention"})
  void queriesWithoutKeysAreZerosAndNoQueriesAreNothing(String kernel) throws IOException {
    npy("some.npy", KEYS, i -> i);
    npy("none.npy", 0, i -> i);
    var withoutKeys = run("--q", path("some.npy"), "--k", path("none.npy"), "--v", path("none.npy"), "--lse",
        path("lse.npy"), "--kernel", kernel);
    assertEquals(0, withoutKeys.exitCode(), withoutKeys.err());
    var o = data("o.npy", 2 * KEYS * DIM);
    for (int i = 0; i < KEYS * DIM; i++) assertEquals(0, o.getShort(2 * i));
    var lse = data("lse.npy", 4 * KEYS);
    for (int i = 0; i < KEYS; i++) assertEquals(Float.NEGATIVE_INFINITY, lse.getFloat(4 * i));
    var withoutQueries = run("--q", path("none.npy"), "--k", path("some.npy"), "--v", path("some.npy"), "--kernel",
        kernel);
    assertEquals(0, withoutQueries.exitCode(), withoutQueries.err());
    assertEquals('\n', data("o.npy", 1).get());
  }

  @Test
  void tensorsComeFromAndGoToSafetensors() throws IOException {
    var header = """
        {"q":{"dtype":"F16","shape":[1,1,1,8],"data_offsets":[0,16]},\
        "k":{"dtype":"F16","shape":[1,2,1,8],"data_offsets":[16,48]},\
        "v":{"dtype":"F32","shape":[1,2,1,8],"data_offsets":[48,112]}}""";
    var data = ByteBuffer.allocate(112).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 16; i++) data.putFloat(48 + 4 * i, i < 8 ? 1 : 4);
    var bytes = ByteBuffer.allocate(8 + header.length() + 112).order(ByteOrder.LITTLE_ENDIAN)
        .putLong(header.length()).put(header.getBytes(StandardCharsets.US_ASCII)).put(data.array());
    Files.write(folder.resolve("in.safetensors"), bytes.array());
    var in = path("in.safetensors");
    var run = Cli.run("run", "attention", "--q", in + ":q", "--k", in + ":k", "--v", in + ":v", "--out",
        path("o.safetensors"));
    assertEquals(0, run.exitCode(), run.err());
    var out = Files.readAllBytes(folder.resolve("o.safetensors"));
    int length = (int) ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN).getLong();
    assertTrue(new String(out, 8, length, StandardCharsets.US_ASCII).contains("\"dtype\":\"F16\""));
    assertEquals(2.5f, Float.float16ToFloat(ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN).getShort(8 + length)));
    assertTrue(run("--q", in + ":x", "--k", in + ":k", "--v", in + ":v").err().contains("has no tensor 'x'"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1099511627776,1099511627776,1,1]", "[-1,-1,1,8]", "[1.5,1,1,8]", "[1,1,1,9]", "8", "[]"})
  void tensorsOfImpossibleShapesAreRefused(String shape) throws IOException {
    var header = "{\"q\":{\"dtype\":\"F16\",\"shape\":" + shape + ",\"data_offsets\":[0,16]}}";
    Files.write(folder.resolve("in.safetensors"), ByteBuffer.allocate(8 + header.length() + 16)
        .order(ByteOrder.LITTLE_ENDIAN).putLong(header.length()).put(header.getBytes(StandardCharsets.US_ASCII))
        .array());
    var q = path("in.safetensors") + ":q";
    var run = run("--q", q, "--k", q, "--v", q);
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void whatDoesNotFitIsRefusedAndNothingWritten() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("k.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS + 1, _ -> 0);
    var run = run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("v.npy"));
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("has extent 1 5, but"), run.err());
    assertTrue(run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("k.npy"), "--window", "1,0", "--causal")
        .err().contains("do not go together"));
    assertFalse(Files.exists(folder.resolve("o.npy")));
  }

  @Test
  void packedSequencesSeeTheirOwnKeys() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS, i -> i / DIM);
    lengths("cu.npy", 0, 1, 4);
    var tensors = new String[] {"--q", path("q.npy"), "--k", path("q.npy"), "--v", path("v.npy"), "--varlen",
        path("cu.npy")};
    var run = run(tensors);
    assertEquals(0, run.exitCode(), run.err());
    var o = data("o.npy", 2 * KEYS * DIM);
    for (int i = 0; i < KEYS; i++) assertEquals(i == 0 ? 0 : 2, Float.float16ToFloat(o.getShort(2 * i * DIM)));
    lengths("cu.npy", 0, 3, 2, 4);
    assertTrue(run(tensors).err().contains("needed are cumulated lengths that rise from 0 to 4"));
  }

  /** Values 0, 1, 2, …, of which the first 150 are in use, and others are NaN. */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "1", "2", "128-keys"})
  void keysInUseAreSeenHoweverTheyAreSplit(String splits) throws IOException {
    npy("q.npy", 1, _ -> 0);
    npy("v.npy", 300, i -> i / DIM < 150 ? i / DIM : Float.NaN);
    lengths("used.npy", 150);
    var run = run("--q", path("q.npy"), "--k", path("v.npy"), "--v", path("v.npy"), "--used", path("used.npy"),
        "--splits", splits, "--lse", path("lse.npy"));
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("by sm90_attention on sim"), run.out());
    for (int i = 0; i < DIM; i++) assertEquals(74.5f, Float.float16ToFloat(data("o.npy", 2 * DIM).getShort(2 * i)));
    assertEquals(Math.log(150), data("lse.npy", 4).getFloat(0), 1e-5);
  }

  /** Values 0, 1, 2, …, of which those from 10 on are in use, to the end or to 150, and others are NaN. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keysBehindALeftPaddingAreSeen(boolean used) throws IOException {
    int end = used ? 150 : 300;
    npy("q.npy", 1, _ -> 0);
    npy("v.npy", 300, i -> i / DIM >= 10 && i / DIM < end ? i / DIM : Float.NaN);
    lengths("used.npy", 150);
    lengths("padding.npy", 10);
    var all = Stream.of("--q", path("q.npy"), "--k", path("v.npy"), "--v", path("v.npy"), "--left-padding",
        path("padding.npy"), "--used", path("used.npy"));
    var run = run(all.limit(used ? 10 : 8).toArray(String[]::new));
    assertEquals(0, run.exitCode(), run.err());
    for (int i = 0; i < DIM; i++) {
      assertEquals((10 + end - 1) / 2f, Float.float16ToFloat(data("o.npy", 2 * DIM).getShort(2 * i)));
    }
    lengths("padding.npy", 151);
    assertRefused("padding.npy: has 151 rows for batch entry 0: needed are 0 to 150", "--left-padding",
        path("padding.npy"), "--used", path("used.npy"));
  }

  /** Three keys of score 0 and value 1 beside a logit of ln 3: half of the weight is the sink's. */
  @ParameterizedTest
  @ValueSource(strings = {"sm80_attention", "sm90_attention", "sm100_attention"})
  void aSinkTakesItsShareOfTheWeights(String kernel) throws IOException {
    npy("q.npy", 1, _ -> 0);
    npy("v.npy", 3, _ -> 1);
    floats("sinks.npy", (float) Math.log(3));
    var tensors = new String[] {"--q", path("q.npy"), "--k", path("v.npy"), "--v", path("v.npy"), "--lse",
        path("lse.npy"), "--kernel", kernel, "--sinks"};
    var run = run(Stream.concat(Stream.of(tensors), Stream.of(path("sinks.npy"))).toArray(String[]::new));
    assertEquals(0, run.exitCode(), run.err());
    for (int i = 0; i < DIM; i++) assertEquals(0.5f, Float.float16ToFloat(data("o.npy", 2 * DIM).getShort(2 * i)));
    assertEquals(Math.log(6), data("lse.npy", 4).getFloat(0), 1e-5);
    var random = run(Stream.concat(Stream.of(tensors), Stream.of("random")).toArray(String[]::new));
    assertEquals(0, random.exitCode(), random.err());
  }

  @Test
  void sinksThatDoNotFitAreRefused() throws IOException {
    npy("q.npy", 1, _ -> 0);
    npy("v.npy", 3, _ -> 1);
    floats("sinks.npy", 1, 2);
    assertRefused("has 2 elements; needed is a logit of each of 1 heads", "--sinks", path("sinks.npy"));
    assertRefused("no such file", "--sinks", path("none.npy"));
    assertFalse(Files.exists(folder.resolve("o.npy")));
  }

  @Test
  void keysInUseAndSplitsThatCannotBeAreRefused() throws IOException {
    npy("q.npy", 1, _ -> 0);
    npy("v.npy", 300, _ -> 0);
    for (var wrong : List.of(new int[] {301}, new int[] {-1})) {
      lengths("used.npy", wrong);
      assertRefused("has " + wrong[0] + " keys for batch entry 0: needed are 0 to 300", "--used", path("used.npy"));
    }
    lengths("used.npy", 3, 4);
    assertRefused("has 2 numbers: needed is one for each of 1 batch entries", "--used", path("used.npy"));
    assertRefused("needed is one mode of i4: the keys in use", "--used", path("q.npy"));
    assertRefused("no such file", "--used", path("none.npy"));
    assertRefused("invalid splits x: auto, balanced, a number such as 4", "--splits", "x");
    assertRefused("invalid number of splits 0: 1 to 1024", "--splits", "0");
    assertRefused("splits of 100 keys are no whole blocks: take a multiple of 128", "--splits", "100-keys");
    assertRefused("need sm90_attention", "--splits", "2", "--kernel", "sm80_attention");
    assertFalse(Files.exists(folder.resolve("o.npy")));
  }

  private void assertRefused(String reason, String... options) {
    var files = Stream.of("--q", path("q.npy"), "--k", path("v.npy"), "--v", path("v.npy"));
    var run = run(Stream.concat(files, Stream.of(options)).toArray(String[]::new));
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(reason), run.err());
  }

  @Test
  void everyKernelGivesTheSameAndOthersAreRefusedByName() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS, i -> i / DIM);
    for (var kernel : List.of("sm80_attention", "sm90_attention", "sm100_attention")) {
      var run = run("--q", path("q.npy"), "--k", path("q.npy"), "--v", path("v.npy"), "--kernel", kernel);
      assertEquals(0, run.exitCode(), run.err());
      assertTrue(run.out().contains("by " + kernel + " on sim"), run.out());
      assertEquals(1.5f, Float.float16ToFloat(data("o.npy", 2 * KEYS * DIM).getShort(0)));
    }
    assertTrue(run("--q", path("q.npy"), "--k", path("q.npy"), "--v", path("v.npy"), "--kernel", "sm70_attention").err()
        .contains("there are sm120_attention, sm100_attention, sm90_mla_decode, sm90_attention, sm89_attention, "
            + "sm80_mla_decode, sm80_attention"));
  }

  /** With equal weights, dV is the mean of dO of the queries that see the key, each over the keys that it sees. */
  @Test
  void gradientsAreWrittenAndTheForwardPassComesFirst() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("k.npy", KEYS, i -> i / DIM);
    npy("v.npy", KEYS, i -> i / DIM);
    npy("do.npy", KEYS, _ -> 12);
    var run = backward("--causal");
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("dv.npy: gradients of 1×4×1×8 queries"), run.out());
    double expected = 0;
    for (int key = KEYS - 1; key >= 0; key--) {
      expected += 12.0 / (key + 1);
      assertEquals(expected, Float.float16ToFloat(data("dv.npy", 2 * KEYS * DIM).getShort(2 * key * DIM)), 0.01);
    }
    // Query 1: P = (½, ½), dP = 12·8·(0, 1) and D = 48, so dS = ½·(−48, 48).
    var dQ = data("dq.npy", 2 * KEYS * DIM);
    assertEquals(0, Float.float16ToFloat(dQ.getShort(0)));
    assertEquals(24 / Math.sqrt(DIM), Float.float16ToFloat(dQ.getShort(2 * DIM)), 0.01);
    var dK = data("dk.npy", 2 * KEYS * DIM);
    for (int i = 0; i < KEYS * DIM; i++) assertEquals(0, Float.float16ToFloat(dK.getShort(2 * i)));
  }

  static Stream<String> gradientKernels() {
    return AttentionBackwardKernels.builtIn().all().stream().map(AttentionBackwardKernel::name);
  }

  /** For rows of zeros behind the last key, P = exp(0 − LSE) is more than f16 holds, and dQ would add ∞ · 0. */
  @ParameterizedTest
  @MethodSource("gradientKernels")
  void gradientsAreFiniteWhereAllScoresAreFarBelowZero(String kernel) throws IOException {
    npy("q.npy", KEYS, _ -> 1);
    npy("k.npy", KEYS, _ -> -8);
    npy("v.npy", KEYS, i -> i / DIM);
    npy("do.npy", KEYS, _ -> 12);
    var run = backward("--kernel", kernel);
    assertEquals(0, run.exitCode(), run.err());
    var dQ = data("dq.npy", 2 * KEYS * DIM);
    var dV = data("dv.npy", 2 * KEYS * DIM);
    for (int i = 0; i < KEYS * DIM; i++) {
      assertEquals(0, Float.float16ToFloat(dQ.getShort(2 * i)), 0.01);
      assertEquals(12, Float.float16ToFloat(dV.getShort(2 * i)), 0.01);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bshd", "bhsd"})
  void gradientsAreThoseOfTheReference(String layout) throws IOException {
    boolean headsFirst = layout.equals("bhsd");
    var q = new Tensor(headsFirst, 2, 5, 4, 16, 1);
    var k = new Tensor(headsFirst, 2, 7, 2, 16, 2);
    var v = new Tensor(headsFirst, 2, 7, 2, 8, 3);
    var dO = new Tensor(headsFirst, 2, 5, 4, 8, 4);
    q.write("q.npy");
    k.write("k.npy");
    v.write("v.npy");
    dO.write("do.npy");
    var forward = run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("v.npy"), "--causal", "--layout", layout,
        "--lse", path("lse.npy"));
    assertEquals(0, forward.exitCode(), forward.err());
    var run = backward("--causal", "--layout", layout, "--o", path("o.npy"), "--lse", path("lse.npy"));
    assertEquals(0, run.exitCode(), run.err());
    var exact = new AttentionGradient(new AttentionReference(q.view(), k.view(), v.view(), 0.25,
        ScoreRule.causal(5, 7)), dO.view()).exact();
    assertNear(exact.dq(), q.read("dq.npy"));
    assertNear(exact.dk(), k.read("dk.npy"));
    assertNear(exact.dv(), v.read("dv.npy"));
    var deterministic = backward("--causal", "--layout", layout, "--deterministic");
    assertEquals(0, deterministic.exitCode(), deterministic.err());
    assertTrue(deterministic.out().contains(": deterministic gradients of"), deterministic.out());
    assertNear(exact.dq(), q.read("dq.npy"));
    assertNear(exact.dk(), k.read("dk.npy"));
  }

  private static void assertNear(double[] exact, TensorView ours) {
    for (int i = 0; i < exact.length; i++) assertEquals(exact[i], ours.value(i), 0.004, "at " + i);
  }

  @Test
  void optionsOfGradientsThatDoNotFitAreRefused() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("k.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS, _ -> 0);
    npy("do.npy", KEYS + 1, _ -> 0);
    refused(path("do.npy") + ": has 1×5×1×8 elements; needed for dO are 1×4×1×8", backward());
    npy("do.npy", KEYS, _ -> 0);
    refused("--o and --lse of the forward pass go together", backward("--o", path("q.npy")));
    refused(path("q.npy") + ": has 1×4×1×8 elements of f16; needed for LSE are 1×1×4 of f32",
        backward("--o", path("q.npy"), "--lse", path("q.npy")));
    refused("--out is where the forward pass puts O", backward("--out", path("o.npy")));
    refused("there are sm", backward("--kernel", "sm80_attention"));
    refused("only with --backward: --do, --deterministic", run("--q", path("q.npy"), "--k", path("k.npy"), "--v",
        path("v.npy"), "--do", path("do.npy"), "--deterministic"));
    refused("missing --dk, --dv", Cli.run("run", "attention", "--q", path("q.npy"), "--k", path("k.npy"), "--v",
        path("v.npy"), "--backward", "--do", path("do.npy"), "--dq", path("dq.npy")));
    refused("missing --out", Cli.run("run", "attention", "--q", path("q.npy"), "--k", path("k.npy"), "--v",
        path("v.npy")));
    for (var name : List.of("dq.npy", "dk.npy", "dv.npy", "o.npy")) {
      assertFalse(Files.exists(folder.resolve(name)), name);
    }
  }

  private static void refused(String why, Cli run) {
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(why), run.err());
  }

  private Cli backward(String... arguments) {
    var all = new ArrayList<>(List.of("run", "attention", "--backward"));
    for (var name : List.of("q", "k", "v", "do", "dq", "dk", "dv")) {
      all.addAll(List.of("--" + name, path(name + ".npy")));
    }
    all.addAll(List.of(arguments));
    return Cli.run(all.toArray(String[]::new));
  }

  /** A tensor of normally distributed f16 in a file, seen as (B,S,H,D). */
  private final class Tensor {
    private final List<Integer> shape;
    private final Layout layout;
    private final byte[] elements;

    Tensor(boolean headsFirst, int batch, int rows, int heads, int dim, long seed) {
      shape = headsFirst ? List.of(batch, heads, rows, dim) : List.of(batch, rows, heads, dim);
      layout = new Layout(IntTuple.flat(batch, rows, heads, dim), headsFirst
          ? IntTuple.flat((long) rows * heads * dim, dim, (long) rows * dim, 1)
          : IntTuple.flat((long) rows * heads * dim, (long) heads * dim, dim, 1));
      elements = new byte[2 * batch * rows * heads * dim];
      Inputs.normal(view(), seed);
    }

    TensorView view() {
      return new TensorView(ElementType.F16, MemorySegment.ofArray(elements), layout);
    }

    void write(String name) throws IOException {
      var text = shape.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
      Files.write(folder.resolve(name), Npy.file(1, Npy.header("<f2", false, text), elements));
    }

    /** A tensor of the same extents in a file. */
    TensorView read(String name) throws IOException {
      var bytes = new byte[elements.length];
      data(name, bytes.length).get(bytes);
      return new TensorView(ElementType.F16, MemorySegment.ofArray(bytes), layout);
    }
  }

  private Cli run(String... arguments) {
    var all = Arrays.copyOf(new String[] {"run", "attention", "--out", path("o.npy")}, 4 + arguments.length);
    System.arraycopy(arguments, 0, all, 4, arguments.length);
    return Cli.run(all);
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private interface Value {
    float at(int index);
  }

  private void npy(String name, int keys, Value value) throws IOException {
    npy(name, keys, DIM, value);
  }

  private void npy(String name, int keys, int dim, Value value) throws IOException {
    var data = ByteBuffer.allocate(2 * keys * dim).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < keys * dim; i++) data.putShort(Float.floatToFloat16(value.at(i)));
    var header = Npy.header("<f2", false, "(1, " + keys + ", 1, " + dim + ")");
    Files.write(folder.resolve(name), Npy.file(1, header, data.array()));
  }

  private void lengths(String name, int... bounds) throws IOException {
    var data = ByteBuffer.allocate(4 * bounds.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int bound : bounds) data.putInt(bound);
    Files.write(folder.resolve(name), Npy.file(1, Npy.header("<i4", false, "(" + bounds.length + ",)"), data.array()));
  }

  private void floats(String name, float... numbers) throws IOException {
    var data = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : numbers) data.putFloat(number);
    Files.write(folder.resolve(name), Npy.file(1, Npy.header("<f4", false, "(" + numbers.length + ",)"), data.array()));
  }

  /** The elements: what a file ends with. */
  private ByteBuffer data(String name, int bytes) throws IOException {
    var all = Files.readAllBytes(folder.resolve(name));
    return ByteBuffer.wrap(all, all.length - bytes, bytes).slice().order(ByteOrder.LITTLE_ENDIAN);
  }
}
