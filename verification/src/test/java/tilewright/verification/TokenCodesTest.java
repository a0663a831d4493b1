package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.appending.CacheAppend;
import tilewright.kernels.attention.appending.NewTokens;
import tilewright.kernels.attention.appending.NewTokens.Rotary;
import tilewright.kernels.attention.decoding.Sm80DecodeAttentionKernel;
import tilewright.kernels.attention.serving.Serving;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.ptx.Launch;
import tilewright.reference.TensorView;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Tokens that become codes with factors of their own in a cache, and attention on it. */
class TokenCodesTest {
  private static final ElementType TYPE = ElementType.BF16;
  /** All tokens are new; each has rows of another magnitude than those before. */
  private static final float[] MAGNITUDES = {0, 0x1p-30f, 0x1p-8f, 1, 0x1p10f, 0x1p17f};
  private static final int TOKENS = MAGNITUDES.length;
  private static final int HEADS = 2;
  private static final int DIM = 64;
  private static final Sizes SIZES = new Sizes(1, TOKENS, TOKENS, HEADS, HEADS, DIM, DIM);
  /** Half a unit in the last place of a code, and of the smallest. */
  private static final double RELATIVE = 0x1p-4;
  private static final double SMALLEST = 0x1p-10;

  private static Attention attention() {
    return Attention.forward(TYPE, SIZES).keyLengths("used").codes(Serving.Codes.perToken(TOKENS, HEADS));
  }

  private static Map<String, MemorySegment> buffers() {
    var buffers = new HashMap<String, MemorySegment>();
    long elements = (long) TOKENS * HEADS * DIM;
    for (var name : List.of("newK", "newV")) buffers.put(name, scaled(Buffers.normal(TYPE, elements, name.hashCode())));
    for (var name : List.of("K", "V")) buffers.put(name, Buffers.poisoned(ElementType.E4M3, elements));
    for (var name : List.of("descaleK", "descaleV")) {
      buffers.put(name, Buffers.poisoned(ElementType.F32, (long) TOKENS * HEADS));
    }
    buffers.put("Q", Buffers.normal(TYPE, elements, 5));
    buffers.put("O", Buffers.poisoned(TYPE, elements));
    buffers.put("LSE", Buffers.poisoned(ElementType.F32, (long) TOKENS * HEADS));
    buffers.put("used", MemorySegment.ofArray(new int[] {TOKENS}));
    return buffers;
  }

  private static MemorySegment scaled(MemorySegment numbers) {
    for (int i = 0; i < TOKENS * HEADS * DIM; i++) {
      double value = MAGNITUDES[i / DIM / HEADS] * value(TYPE, numbers, i);
      numbers.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i, (short) TYPE.fromDouble(value, Rounding.NEAREST_EVEN));
    }
    return numbers;
  }

  private static double value(ElementType type, MemorySegment buffer, int index) {
    return new TensorView(type, buffer, Layout.of(buffer.byteSize() / type.bytes(), 1)).value(index);
  }

  private static double[] values(ElementType type, MemorySegment buffer) {
    return IntStream.range(0, (int) (buffer.byteSize() / type.bytes())).mapToDouble(i -> value(type, buffer, i))
        .toArray();
  }

  private static void append(Map<String, MemorySegment> buffers) {
    var tokens = NewTokens.dense(SIZES, Rotary.NONE).withoutQueries();
    run(CacheAppend.prepare(attention().problem(), tokens, Target.SM90A).on(buffers));
  }

  private static void run(Launch launch) {
    assertEquals(List.of(), new SimulatorBackend(1).run(launch).findings());
  }

  /** Rows of V above the largest factor saturate, and those below the least lose what lies below its codes. */
  @Test
  void codesTimesFactorsAreTheElements() {
    var buffers = buffers();
    append(buffers);
    for (var name : List.of("K", "V")) {
      var codes = values(ElementType.E4M3, buffers.get(name));
      var given = values(TYPE, buffers.get("new" + name));
      var factors = values(ElementType.F32, buffers.get("descale" + name));
      for (int i = 0; i < codes.length; i++) {
        double factor = factors[i / DIM];
        boolean inRange = name.equals("K") || factor >= Serving.Factor.LEAST_OF_VALUES
            && factor <= Serving.Factor.MOST_OF_VALUES;
        assertTrue(factor > 0 && inRange, name + " has the factor " + factor);
        double most = name.equals("K") ? Double.MAX_VALUE : 448 * Serving.Factor.MOST_OF_VALUES;
        double expected = Math.clamp(given[i], -most, most);
        assertEquals(expected, codes[i] * factor, Math.abs(expected) * RELATIVE + factor * SMALLEST, name + " " + i);
      }
    }
  }

  /** Causal attention, whose first queries see the small rows alone, beside FP64 on what the codes stand for. */
  @Test
  void attentionReadsWhatIsAppended() {
    var buffers = buffers();
    append(buffers);
    var attention = attention().causal().requireFit(buffers);
    var launches = new Sm80DecodeAttentionKernel().on(90).launches(attention.problem());
    launches.on(Buffers.withWorkspace(launches, buffers)).forEach(TokenCodesTest::run);
    var o = values(TYPE, buffers.get("O"));
    for (int row = 0; row < TOKENS * HEADS; row++) {
      var expected = row(buffers, row / HEADS, row % HEADS);
      for (int d = 0; d < DIM; d++) {
        double error = Math.abs(o[row * DIM + d] - expected[0][d]);
        assertTrue(error <= 0x1p-7 * expected[1][d] + Serving.Factor.LEAST_OF_VALUES, "row " + row + ": " + error);
      }
    }
  }

  /** The output of a query, and the same of magnitudes, by which errors are measured. */
  private static double[][] row(Map<String, MemorySegment> in, int query, int head) {
    var q = values(TYPE, in.get("Q"));
    var scores = IntStream.rangeClosed(0, query).mapToDouble(key -> IntStream.range(0, DIM)
        .mapToDouble(d -> q[(query * HEADS + head) * DIM + d] * number(in, "K", key, head, d)).sum() / Math.sqrt(DIM))
        .toArray();
    double largest = IntStream.rangeClosed(0, query).mapToDouble(key -> scores[key]).max().orElseThrow();
    var results = new double[2][DIM];
    double sum = 0;
    for (int key = 0; key <= query; key++) {
      double p = Math.exp(scores[key] - largest);
      sum += p;
      for (int d = 0; d < DIM; d++) {
        results[0][d] += p * number(in, "V", key, head, d);
        results[1][d] += p * Math.abs(number(in, "V", key, head, d));
      }
    }
    for (var result : results) for (int d = 0; d < DIM; d++) result[d] /= sum;
    return results;
  }

  private static double number(Map<String, MemorySegment> in, String name, int key, int head, int column) {
    int row = key * HEADS + head;
    return value(ElementType.E4M3, in.get(name), row * DIM + column) * value(ElementType.F32,
        in.get("descale" + name), row);
  }

  /** Elements that are no finite numbers have the code NaN, and no part in the row's factor. */
  @ParameterizedTest
  @ValueSource(floats = {Float.POSITIVE_INFINITY, Float.NaN})
  void otherElementsKeepTheirCodes(float other) {
    var buffers = buffers();
    int row = 3 * HEADS;
    var bits = (short) TYPE.fromDouble(other, Rounding.NEAREST_EVEN);
    buffers.get("newV").set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * row * DIM, bits);
    append(buffers);
    var codes = values(ElementType.E4M3, buffers.get("V"));
    var given = values(TYPE, buffers.get("newV"));
    double largest = IntStream.range(1, DIM).mapToDouble(d -> Math.abs(given[row * DIM + d])).max().orElseThrow();
    assertTrue(Double.isNaN(codes[row * DIM]));
    assertEquals(largest / 448, value(ElementType.F32, buffers.get("descaleV"), row), largest * 0x1p-30);
    assertEquals(448, IntStream.range(1, DIM).mapToDouble(d -> Math.abs(codes[row * DIM + d])).max().orElseThrow());
  }
}
