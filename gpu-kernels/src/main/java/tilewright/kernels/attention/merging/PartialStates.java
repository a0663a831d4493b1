package tilewright.kernels.attention.merging;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch.Scratch;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.BalancedSplits;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Apart;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.scheduling.WorkShares;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Partial attention for {@link StateMerge}: for each of several sets of keys an O, divided by its own sum of
 * exponentials, and the logarithm of that sum in FP32, or the largest score and the sum relative to it. Where a row has
 * no keys the logarithm or the largest score is −∞, and O is not read.
 *
 * @param type of O: f32, f16 or bf16
 * @param count of states
 * @param o (B,Sq,H,Dv) of each state
 * @param lse (B,Sq,H) of each state: the logarithms, or where there are {@code sums} the maxima
 * @param sums (B,Sq,H) of each state, where they are apart from the maxima
 */
public record PartialStates(ElementType type, Sizes sizes, int count, Stack o, Stack lse, Optional<Stack> sums) {
  private static final String O = "partialO";
  private static final String LSE = "partialLSE";
  private static final String MAXIMA = "partialMaxima";
  private static final String SUMS = "partialSums";
  /** Elements in an access to O. */
  static final int VECTOR = 4;
  private static final List<ElementType> TYPES = List.of(ElementType.F32, ElementType.F16, ElementType.BF16);

  /** States with logarithms. */
  public PartialStates(ElementType type, Sizes sizes, int count, Stack o, Stack lse) {
    this(type, sizes, count, o, lse, Optional.empty());
  }

  public PartialStates {
    requireType(type);
    if (count < 0) throw new IllegalArgumentException("invalid number of states " + count + ": at least 0");
  }

  static void requireType(ElementType type) {
    if (!TYPES.contains(type)) {
      throw new IllegalArgumentException("cannot merge states of " + type.text() + ": f32, f16 or bf16");
    }
  }

  /**
   * Tensors of all states in one buffer.
   *
   * @param first that of the first state
   * @param next elements from one to the next
   */
  public record Stack(View first, long next) {
    private Stack in(String buffer) {
      return new Stack(new View(buffer, first.offset(), first.batch(), first.sequence(), first.head(), first.dim()),
          next);
    }

    private View at(int state, ElementType type) {
      return new View(first.buffer(), first.offset() + state * next * type.bytes(), first.batch(), first.sequence(),
          first.head(), first.dim());
    }
  }

  /** States (states,B,Sq,H,Dv) in "partialO" and (states,B,H,Sq) in "partialLSE", as attention leaves each. */
  public static PartialStates dense(ElementType type, Sizes s, int count) {
    long rows = (long) s.batch() * s.queries() * s.heads();
    return new PartialStates(type, s, count,
        new Stack(View.bshd(O, s.queries(), s.heads(), s.valueDim()), rows * s.valueDim()),
        new Stack(View.bhsd(LSE, s.queries(), s.heads(), 1), rows));
  }

  /** The FP32 states (splits,B,H,Sq,Dv) that splits of the keys leave. */
  public static PartialStates ofSplits(Sizes s, int count) {
    long rows = (long) s.batch() * s.queries() * s.heads();
    return new PartialStates(ElementType.F32, s, count,
        new Stack(View.bhsd(O, s.queries(), s.heads(), s.valueDim()), rows * s.valueDim()),
        new Stack(View.bhsd(LSE, s.queries(), s.heads(), 1), rows));
  }

  /** The FP32 states that splits of a problem's keys leave, with the statistics that the problem asks for. */
  public static PartialStates ofSplits(AttentionProblem p, int count) {
    var states = ofSplits(p.sizes(), count);
    return p.apart().isPresent() ? states.apart() : states;
  }

  /**
   * The FP32 states (slots,B,H,Sq,Dv) that {@linkplain BalancedSplits shares} of a batch leave: a slot has one state,
   * of whichever batch entry it is, so that all entries have the same place there.
   */
  public static PartialStates ofShares(Sizes s, WorkShares shares) {
    long rows = (long) s.queries() * s.heads();
    return new PartialStates(ElementType.F32, s, Math.toIntExact(BalancedSplits.slots(shares.workers())),
        new Stack(new View(O, 0, 0, (long) s.heads() * s.valueDim(), s.valueDim(), 1), rows * s.valueDim()),
        new Stack(new View(LSE, 0, 0, 1, s.queries(), 1), rows));
  }

  /** Returns these with maxima in "partialMaxima" and sums in "partialSums" that lie as the logarithms do. */
  public PartialStates apart() {
    return new PartialStates(type, sizes, count, o, lse.in(MAXIMA), Optional.of(lse.in(SUMS)));
  }

  /** The place of a state's O, where attention that computes it can store it. */
  public View viewO(int state) {
    return o.at(state, type);
  }

  /** The place of a state's logarithms. */
  public View viewLse(int state) {
    return lse.at(state, ElementType.F32);
  }

  /** The places of a state's maxima and sums. */
  public Apart viewApart(int state) {
    return new Apart(lse.at(state, ElementType.F32), sums.orElseThrow().at(state, ElementType.F32));
  }

  /** The O that splits of the keys store in FP32: (Dv, queries, heads, batch, states). */
  public static TensorSpec specO() {
    return specO(ElementType.F32);
  }

  static TensorSpec specO(ElementType type) {
    return TensorSpec.of(O, type, "Dv", "Sq", "H", "B", "States").contiguous("Dv").aligned(VECTOR);
  }

  /** The statistics, (queries, heads, batch, states): logarithms, or maxima and sums. */
  public static List<TensorSpec> specs(boolean apart) {
    return (apart ? Stream.of(MAXIMA, SUMS) : Stream.of(LSE))
        .map(name -> TensorSpec.of(name, ElementType.F32, "Sq", "H", "B", "States")).toList();
  }

  /** The buffers of states {@linkplain #ofSplits of splits} or {@linkplain #ofShares shares}, which launches share. */
  public List<Scratch> workspace() {
    int entries = o.first.batch() == 0 ? 1 : sizes.batch();
    return Stream.concat(Stream.of(new Scratch(O, ElementType.F32, Layout.columnMajor(sizes.valueDim(), sizes.queries(),
        sizes.heads(), entries, count))), stacks().map(stack -> new Scratch(stack.first.buffer(), ElementType.F32,
        Layout.columnMajor(sizes.queries(), sizes.heads(), entries, count)))).toList();
  }

  private Stream<Stack> stacks() {
    return Stream.concat(Stream.of(lse), sums.stream());
  }

  /** Gives the buffers to a launch. */
  public LaunchArguments addTo(LaunchArguments arguments) {
    var s = sizes;
    var place = o.first;
    arguments.tensor(O, new LaunchArguments.Tensor(place.buffer(), place.offset(),
            List.of((long) s.valueDim(), (long) s.queries(), (long) s.heads(), (long) s.batch(), (long) count),
            List.of(place.dim(), place.sequence(), place.head(), place.batch(), o.next)));
    arguments.tensor(sums.isPresent() ? MAXIMA : LSE, argument(lse));
    sums.ifPresent(stack -> arguments.tensor(SUMS, argument(stack)));
    return arguments;
  }

  private LaunchArguments.Tensor argument(Stack stack) {
    var first = stack.first;
    return new LaunchArguments.Tensor(first.buffer(), first.offset(),
        List.of((long) sizes.queries(), (long) sizes.heads(), (long) sizes.batch(), (long) count),
        List.of(first.sequence(), first.head(), first.batch(), stack.next));
  }
}
