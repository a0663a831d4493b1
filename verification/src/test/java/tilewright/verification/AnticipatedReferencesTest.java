package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.QuantizedAttention;

/**
 * Hopper's attention where a block's probabilities, computed by the references of the blocks before, do not fit: each
 * block of keys has larger scores than those that were taken first, which are the last ones, or rows are so flat that
 * their sums exceed the limit from the first block on.
 */
class AnticipatedReferencesTest {
  private static final long SEED = 11;
  private static final int KEYS = 700;

  /**
   * A problem, and what is added to each key's row, as one is to each query's. Rows stay random apart from that: keys
   * of equal scores would have probabilities of equal rounding errors, which no average makes less.
   *
   * @param name of the course of scores
   */
  private record Scores(String name, AttentionCases.Setup setup, IntToDoubleFunction ofKey) {
    @Override
    public String toString() {
      return setup + " with " + name + " scores";
    }
  }

  static Stream<Scores> scores() {
    var bytes = Stream.of(64, 128, 256).flatMap(dim -> {
      var sizes = sizes(dim);
      var setup = AttentionCases.band(ElementType.BF16, sizes, dim == 128 ? Band.CAUSAL : Band.ALL);
      return courses(QuantizedAttention.quantized(setup, Quantized.perHead(ElementType.BF16, sizes)), dim);
    });
    var halves = Stream.of(ElementType.F16, ElementType.BF16)
        .flatMap(type -> courses(AttentionCases.band(type, sizes(64), Band.CAUSAL), 64));
    return Stream.concat(bytes, halves);
  }

  static Stream<Scores> flat() {
    return scores().filter(scores -> scores.name.equals("flat"));
  }

  private static Sizes sizes(int dim) {
    return new Sizes(1, 70, KEYS, 1, 1, dim, dim);
  }

  /** With a scale of 1/√d and queries about one, a key's row of v more scores v·√d more. */
  private static Stream<Scores> courses(AttentionCases.Setup setup, int dim) {
    double unit = 1 / Math.sqrt(dim);
    return Stream.of(new Scores("flat", setup, _ -> 0),
        new Scores("slowly growing", setup, key -> unit * (KEYS - key) / 50),
        new Scores("growing", setup, key -> unit * (KEYS - key) / 5),
        new Scores("leaping", setup, key -> unit * (key < 64 ? 100 : key % 97 == 3 ? 9 : 0)));
  }

  @ParameterizedTest
  @MethodSource("scores")
  void areAsExactAsOthers(Scores scores) {
    var setup = scores.setup;
    var buffers = buffers(scores);
    run(setup, buffers);
    assertEquals(Optional.empty(), AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers,
        AttentionCases.tensorCores(AttentionCases.SM90.kernel())).violation());
  }

  @ParameterizedTest
  @MethodSource("flat")
  void handOnWhatIsNoNumber(Scores scores) {
    var setup = scores.setup;
    var buffers = buffers(scores);
    var sizes = setup.problem().sizes();
    add(buffers, "K", setup, i -> i / sizes.headDim() == 1 ? Double.NaN : 0);
    run(setup, buffers);
    var logarithms = view(ElementType.F32, buffers.get("LSE"));
    assertTrue(IntStream.range(0, sizes.queries()).allMatch(row -> Double.isNaN(logarithms.value(row))));
  }

  private static Map<String, MemorySegment> buffers(Scores scores) {
    var buffers = AttentionCases.buffers(AttentionCases.SM90.kernel(), scores.setup, SEED);
    int dim = scores.setup.problem().sizes().headDim();
    add(buffers, "Q", scores.setup, _ -> 1);
    add(buffers, "K", scores.setup, i -> scores.ofKey.applyAsDouble(i / dim));
    return buffers;
  }

  private static void add(Map<String, MemorySegment> buffers, String name, AttentionCases.Setup setup,
      IntToDoubleFunction values) {
    var view = view(setup.problem().type(), buffers.get(name));
    for (int i = 0; i < view.size(); i++) view.set(i, view.value(i) + values.applyAsDouble(i));
  }

  private static TensorView view(ElementType type, MemorySegment buffer) {
    return new TensorView(type, buffer, Layout.of(buffer.byteSize() / type.bytes(), 1));
  }

  private static void run(AttentionCases.Setup setup, Map<String, MemorySegment> buffers) {
    var launch = AttentionCases.SM90.launch().apply(setup.problem()).on(buffers);
    assertEquals(List.of(), new SimulatorBackend(SEED).run(launch).findings());
  }
}
