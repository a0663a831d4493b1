package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.appending.CacheAppend;
import tilewright.kernels.attention.appending.NewTokens;
import tilewright.kernels.attention.appending.NewTokens.Rotary;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.library.AttentionKernels;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Launch;
import tilewright.reference.Rotation;
import tilewright.reference.TensorView;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Tokens that are appended to a cache of pages, and attention on it: as if all keys were turned where they are. */
class CacheAppendTest {
  private static final ElementType TYPE = ElementType.F16;
  private static final int TOKENS = 2;
  private static final int HEADS = 4;
  private static final int KEY_HEADS = 2;
  private static final int DIM = 64;
  private static final int TURNED = 32;
  private static final int ROWS = 16;
  private static final int PAGES = 6;
  /** Entry 1 has no keys but the new ones. */
  private static final int[] USED = {41, 2};
  private static final int[] TABLE = {4, 1, 3, 0, -1, 99};
  private static final int ROOM = 3 * ROWS;
  /** A rounding of turned keys, of P and of O, which is below 4. */
  private static final double TOLERANCE = 8e-3;

  @ParameterizedTest
  @EnumSource(names = {"NEIGHBOURS", "HALF"})
  void attentionSeesWhatIsAppended(Rotation rotation) {
    var buffers = buffers();
    var before = copies(buffers);
    var attention = attention().causal();
    run(CacheAppend.prepare(attention.problem(), tokens(rotation), Target.SM90A).on(buffers));
    var kernel = attention.requireFit(buffers).choose(AttentionKernels.builtIn().of(90));
    kernel.zeros(attention.problem()).forEach((name, bytes) -> buffers.put(name, Buffers.zeros(ElementType.I8, bytes)));
    var launches = kernel.launches(attention.problem());
    launches.on(Buffers.withWorkspace(launches, buffers)).forEach(CacheAppendTest::run);
    var o = view(TYPE, buffers.get("O"));
    for (int row = 0; row < USED.length * TOKENS * HEADS; row++) {
      var expected = expected(before, rotation, row / HEADS / TOKENS, row / HEADS % TOKENS, row % HEADS);
      for (int d = 0; d < DIM; d++) assertEquals(expected[d], o.value(row * DIM + d), TOLERANCE);
    }
  }

  private static Sizes sizes() {
    return new Sizes(USED.length, TOKENS, ROOM, HEADS, KEY_HEADS, DIM, DIM);
  }

  private static Attention attention() {
    return Attention.forward(TYPE, sizes()).keyLengths("used").pages(new Serving.Pages("table", ROWS, PAGES));
  }

  private static NewTokens tokens(Rotation rotation) {
    return NewTokens.dense(sizes(), new Rotary(rotation, TURNED, ROOM));
  }

  private static Map<String, MemorySegment> buffers() {
    var buffers = new HashMap<String, MemorySegment>();
    int rows = USED.length * TOKENS;
    buffers.put("newQ", Buffers.normal(TYPE, (long) rows * HEADS * DIM, 1));
    buffers.put("newK", Buffers.normal(TYPE, (long) rows * KEY_HEADS * DIM, 2));
    buffers.put("newV", Buffers.normal(TYPE, (long) rows * KEY_HEADS * DIM, 3));
    buffers.put("K", Buffers.normal(TYPE, (long) PAGES * ROWS * KEY_HEADS * DIM, 4));
    buffers.put("V", Buffers.normal(TYPE, (long) PAGES * ROWS * KEY_HEADS * DIM, 5));
    buffers.put("Q", Buffers.poisoned(TYPE, (long) rows * HEADS * DIM));
    buffers.put("O", Buffers.poisoned(TYPE, (long) rows * HEADS * DIM));
    buffers.put("LSE", Buffers.poisoned(ElementType.F32, (long) rows * HEADS));
    buffers.put("used", integers(USED));
    buffers.put("table", integers(TABLE));
    for (var name : List.of("C", "T")) {
      var table = MemorySegment.ofArray(new float[ROOM * TURNED / 2]);
      for (int i = 0; i < ROOM * TURNED / 2; i++) {
        double angle = i / (TURNED / 2) * Math.pow(10000, -2.0 * (i % (TURNED / 2)) / TURNED);
        table.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) (name.equals("C") ? Math.cos(angle)
            : Math.sin(angle)));
      }
      buffers.put(name, table);
    }
    return buffers;
  }

  private static MemorySegment integers(int... values) {
    return MemorySegment.ofArray(values.clone());
  }

  private static Map<String, MemorySegment> copies(Map<String, MemorySegment> buffers) {
    var copies = new HashMap<String, MemorySegment>();
    buffers.forEach((name, data) -> copies.put(name, MemorySegment.ofArray(data.toArray(ValueLayout.JAVA_BYTE))));
    return copies;
  }

  private static void run(Launch launch) {
    assertEquals(List.of(), new SimulatorBackend(1).run(launch).findings());
  }

  /** A row of O by the definition, in FP64. */
  private static double[] expected(Map<String, MemorySegment> in, Rotation rotation, int entry, int token, int head) {
    int position = USED[entry] - TOKENS + token;
    var q = turned(row(in, "newQ", (entry * TOKENS + token) * HEADS + head), rotation, position);
    var result = new double[DIM];
    double sum = 0;
    for (int key = 0; key <= position; key++) {
      int added = key - (USED[entry] - TOKENS);
      int keyHead = head / (HEADS / KEY_HEADS);
      int place = ((entry * TOKENS + added) * KEY_HEADS) + keyHead;
      int cached = (TABLE[entry * 3 + key / ROWS] * ROWS + key % ROWS) * KEY_HEADS + keyHead;
      var k = added < 0 ? row(in, "K", cached) : turned(row(in, "newK", place), rotation, key);
      var v = added < 0 ? row(in, "V", cached) : row(in, "newV", place);
      double score = 0;
      for (int d = 0; d < DIM; d++) score += q[d] * k[d];
      double weight = Math.exp(score / Math.sqrt(DIM));
      sum += weight;
      for (int d = 0; d < DIM; d++) result[d] += weight * v[d];
    }
    for (int d = 0; d < DIM; d++) result[d] /= sum;
    return result;
  }

  private static double[] turned(double[] row, Rotation rotation, int position) {
    var result = row.clone();
    for (int pair = 0; pair < TURNED / 2; pair++) {
      double angle = position * Math.pow(10000, -2.0 * pair / TURNED);
      int first = rotation == Rotation.HALF ? pair : 2 * pair;
      int second = rotation == Rotation.HALF ? pair + TURNED / 2 : 2 * pair + 1;
      result[first] = row[first] * Math.cos(angle) - row[second] * Math.sin(angle);
      result[second] = row[first] * Math.sin(angle) + row[second] * Math.cos(angle);
    }
    return result;
  }

  private static double[] row(Map<String, MemorySegment> in, String name, int row) {
    var view = view(TYPE, in.get(name));
    var values = new double[DIM];
    for (int d = 0; d < DIM; d++) values[d] = view.value((long) row * DIM + d);
    return values;
  }

  private static TensorView view(ElementType type, MemorySegment buffer) {
    return new TensorView(type, buffer, Layout.of(buffer.byteSize() / type.bytes(), 1));
  }

  /** The room of the table, numbers that are no pages, and positions behind the last row of cosines. */
  @ParameterizedTest
  @CsvSource({"49, 4, 48", "2147483647, 4, 48", "-2147483648, 4, 48", "20, -1, 48", "20, 6, 48", "41, 3, 40"})
  void whatHasNoPlaceStopsTheLaunch(int length, int page, int positions) {
    var buffers = buffers();
    buffers.get("used").set(ValueLayout.JAVA_INT_UNALIGNED, 0, length);
    buffers.get("table").set(ValueLayout.JAVA_INT_UNALIGNED, 4, page);
    var tokens = NewTokens.dense(sizes(), new Rotary(Rotation.HALF, TURNED, positions));
    var launch = CacheAppend.prepare(attention().problem(), tokens, Target.SM80).on(buffers);
    var findings = new SimulatorBackend(1).run(launch).findings();
    assertTrue(!findings.isEmpty() && findings.stream().allMatch(f -> f.contains("executes trap")), findings::toString);
  }

  @Test
  void whatDoesNotGoWithACacheIsRefused() {
    refused("keys are appended at lengths that the launch reads: give them by keyLengths",
        Attention.forward(TYPE, sizes()), tokens(Rotation.HALF));
    refused("keys are appended to caches without left padding: begin with the first row",
        Attention.forward(TYPE, sizes()).keyLengths("used").leftPadding("padding"), tokens(Rotation.HALF));
    var q = View.bshd("Q", TOKENS, HEADS, DIM);
    var k = View.bshd("K", ROOM, KEY_HEADS, DIM);
    refused("values are appended as rows: give a row-major V", Attention.forward(TYPE, sizes()).keyLengths("used")
        .tensors(q, k, View.bhds("V", KEY_HEADS, DIM, ROOM), q), tokens(Rotation.HALF));
    var blocks = Factors.perBlock("descale", KEY_HEADS, ROOM, 16);
    var quantized = new Quantized(TYPE, ElementType.E4M3, Factors.perTensor("descaleQ"), blocks, blocks);
    refused("codes are appended with a factor of each head, tensor or token, not of blocks",
        Attention.forward(quantized, sizes()).keyLengths("used"), tokens(Rotation.HALF));
    refused("cannot turn 80 columns of a head of 64", attention(), NewTokens.dense(sizes(),
        new Rotary(Rotation.HALF, 80, ROOM)));
    var narrow = new Sizes(1, 1, 8, 1, 1, 24, 24);
    refused("cannot append heads of 24 and 24 columns: multiples of 16, at most 4096",
        Attention.forward(TYPE, narrow).keyLengths("used"), NewTokens.dense(narrow, Rotary.NONE));
    assertEquals("invalid embedding of 24 columns at 48 positions: a multiple of 16, 0 for none",
        assertThrows(IllegalArgumentException.class, () -> new Rotary(Rotation.HALF, 24, 48)).getMessage());
  }

  private static void refused(String message, Attention attention, NewTokens tokens) {
    assertEquals(message, assertThrows(IllegalArgumentException.class,
        () -> CacheAppend.prepare(attention.problem(), tokens, Target.SM90A)).getMessage());
  }
}
