package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.kernel.Chip;
import tilewright.kernel.collective.attention.AlibiAtLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.SoftcapAtLaunch;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Apart;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.choice.HeadOrder;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm90.attention.Sm90AttentionKernel;

/**
 * Attention as PyTorch's users call it: (B,S,H,D) tensors of any strides but along D, or packed sequences (S,H,D).
 * Numbers are the extents B, Sq, Sk, H, Hk, D and Dv, the strides of each tensor such as {@code q_s}, the window's L
 * and R, of packed sequences their number N and the longest one's queries M, and of ALiBi the number of slopes and
 * those from one batch entry to the next, slopes_b.
 *
 * @param change of the scores
 * @param narrow whether V has {@link #NARROW} columns, and Q and K more
 */
record AttentionKind(ElementType type, Mask mask, boolean packed, Change change, boolean narrow) {
  /** Elements that strides and head dimensions are multiples of: tensors are copied in vectors of 16 bytes. */
  static final int VECTOR = 8;
  /** Heads that share keys where the choice is asked for. */
  private static final List<Long> SHARERS = List.of(1L, 8L);
  private static final long LONGEST = 1 << 20;
  private static final long WIDEST = 256;
  /** Columns of V where Q and K have more. */
  private static final long NARROW = 128;
  /** The head dimension of Q and K where V has {@link #NARROW} columns. */
  private static final List<Long> DIMS_OF_NARROW = List.of(192L);
  /**
   * The most common head dimensions: kernels for sinks, for maxima and sums apart, or heads that share tiles, are for no
   * others.
   */
  static final List<Long> COMMON_DIMS = List.of(64L, 128L);
  /** The head dimensions that kernels before SM90 are made for. */
  static final List<Long> DIMS = List.of(64L, 96L, 128L, 192L, WIDEST);
  private static final int MOST_STRIDE = 1 << 16;
  /** SMs of Hopper, whose gradients choose heads by them. */
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  private static final int MOST_HEADS = 11;
  /** Any number: Python gives its own. */
  private static final float CAP = 30;
  private static final int CHANGED = 90;

  /** The keys that a query sees. */
  enum Mask { ALL, CAUSAL, WINDOW }

  /**
   * The change of scores: none, bent into ±cap, or by ALiBi's slopes; or a sink beside them, a logit of each head; or
   * results with maxima and sums in the place of logarithms.
   */
  enum Change {
    NONE, SOFTCAP, ALIBI, SINKS, APART;

    /** The end of names in the package's data. */
    String suffix() {
      return this == NONE ? "" : "-" + name().toLowerCase(Locale.ROOT);
    }
  }

  /** Every type and option, without changes of scores. */
  static Stream<AttentionKind> plain() {
    return all(Change.NONE, false);
  }

  /**
   * Every type and option; changes of scores and narrow V are for SM90, to keep the package small.
   *
   * @param capability the GPU's compute capability times ten
   */
  static Stream<AttentionKind> all(int capability) {
    return capability == CHANGED ? Stream.concat(Stream.of(Change.values()).flatMap(change -> all(change, false)),
        all(Change.NONE, true)) : plain();
  }

  /** Every type and option of attention that has gradients. */
  static Stream<AttentionKind> withGradients(int capability) {
    return all(capability).filter(kind -> kind.change != Change.SINKS && kind.change != Change.APART);
  }

  private static Stream<AttentionKind> all(Change change, boolean narrow) {
    return Stream.of(ElementType.BF16, ElementType.F16).flatMap(type -> Stream.of(Mask.values())
        .flatMap(mask -> Stream.of(false, true).filter(packed -> !packed || change != Change.APART)
            .map(packed -> new AttentionKind(type, mask, packed, change, narrow))));
  }

  /** The types and options in the package's data. */
  String key() {
    return type.text() + "-" + mask.name().toLowerCase(Locale.ROOT) + change.suffix()
        + (packed ? "-packed" : "") + (narrow ? "-v" + NARROW : "");
  }

  /**
   * The numbers that the choice of a kernel depends on.
   *
   * @param dims the head dimensions that there are kernels for: others are filled up with zeros to the next
   */
  private List<Axis> axes(List<Long> dims) {
    var ofHead = Axis.only("dim", Formula.of("D"), dims);
    var queries = new Axis("queries", Formula.of(packed ? "M" : "Sq"), 1, lengths());
    var keys = Formula.of("Sk");
    var seen = mask == Mask.WINDOW ? keys.min(Formula.of("L").plus(Formula.of("R")).plus(Formula.of(1))) : keys;
    var ofKeys = new Axis("keys", seen, 1, lengths());
    if (mask != Mask.CAUSAL) return List.of(ofHead, queries, ofKeys);
    // SM80's gradients walk tiles in another order where many heads share keys.
    var sharers = Formula.of("H").dividedBy(Formula.of("Hk"));
    return List.of(ofHead, new Axis("sharers", sharers, 1, SHARERS), queries, ofKeys);
  }

  /** The head dimensions that are multiples of a number. */
  static List<Long> multiples(int number) {
    return LongStream.rangeClosed(1, WIDEST / number).map(i -> number * i).boxed().toList();
  }

  private static List<Long> lengths() {
    return LongStream.iterate(1, length -> length <= LONGEST, length -> 2 * length).boxed().toList();
  }

  List<String> extents() {
    return packed ? List.of("N", "M", "Sq", "Sk", "H", "Hk") : List.of("B", "Sq", "Sk", "H", "Hk");
  }

  List<FormulaFit.Slots> slots() {
    return packed ? List.of(new FormulaFit.Slots("Sq", "N"), new FormulaFit.Slots("Sk", "N")) : List.of();
  }

  /** The heads that run side by side in a launch. */
  List<LongFunction<Formula>> guesses() {
    var heads = Formula.of("H").times(packed ? Formula.of(1) : Formula.of("B"));
    var bytes = Formula.of("Sk").times(Formula.of("D").plus(Formula.of("Dv"))).times(type.bytes());
    var sharers = Formula.of("H").dividedBy(Formula.of("Hk"));
    var inCache = Sm90AttentionKernel.HEADS.inCache(heads, sharers, bytes);
    LongFunction<HeadOrder.Groups> inWaves = tile -> Sm90AttentionKernel.HEADS.inWaves(heads, sharers, bytes,
        Formula.of("Sq").ceilDiv(Formula.of(tile)));
    var onBlackwell = Sm100AttentionKernel.HEADS.inCache(heads, sharers, bytes).together();
    LongFunction<Formula> blocks = tile -> packed
        ? Formula.of("Sk").dividedBy(Formula.of(tile)).plus(Formula.of("N")).times(Formula.of("Hk"))
        : Formula.of("Sk").ceilDiv(Formula.of(tile)).times(Formula.of("B")).times(Formula.of("Hk"));
    return List.of(_ -> inCache.together(), _ -> inCache.beforeLast(), _ -> onBlackwell,
        tile -> inWaves.apply(tile).together(), tile -> inWaves.apply(tile).beforeLast(),
        tile -> blocks.apply(tile).upTo(Formula.of(8 * MULTIPROCESSORS), Formula.of(1)),
        tile -> Formula.of(2 * MULTIPROCESSORS).ceilDiv(Formula.of("Sq").ceilDiv(Formula.of(tile))));
  }

  /** Draws a problem's numbers. */
  Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
    var n = new HashMap<String, Long>();
    long dim = axes.get("dim");
    long seen = axes.get("keys");
    // Few of each as often as many: grids of many are all as large as the GPU.
    int most = random.nextBoolean() ? 1 : MOST_HEADS;
    long sharers = axes.getOrDefault("sharers", 1L << random.nextInt(random.nextBoolean() ? 1 : 4));
    long keyHeads = 1 + random.nextInt(1 + most);
    n.put("D", dim);
    n.put("Dv", narrow ? NARROW : dim);
    n.put("Hk", keyHeads);
    n.put("H", keyHeads * sharers);
    long queries = axes.get("queries");
    if (packed) {
      n.put("N", 1L + random.nextInt(1 + most));
      n.put("M", queries);
      n.put("B", 1L);
      n.put("Sq", queries + random.nextLong(queries * n.get("N")));
    } else {
      n.put("B", 1L + random.nextInt(1 + most));
      n.put("Sq", queries);
    }
    if (change == Change.ALIBI) {
      n.put("slopes_b", random.nextBoolean() ? 0 : n.get("H"));
      n.put("slopes", n.get("H") * (packed ? n.get("N") : n.get("B")));
    }
    if (mask == Mask.WINDOW) {
      long left = random.nextLong(seen);
      n.put("L", left);
      n.put("R", seen - 1 - left);
      n.put("Sk", seen + random.nextLong(1 + seen));
    } else {
      n.put("Sk", seen);
    }
    return n;
  }

  /** Draws a tensor's strides. */
  static void drawStrides(Map<String, Long> numbers, RandomGenerator random, String... tensors) {
    for (var tensor : tensors) {
      for (var mode : List.of("b", "s", "h")) {
        numbers.put(tensor + "_" + mode, (long) VECTOR * (1 + random.nextInt(MOST_STRIDE)));
      }
    }
  }

  /** The attention that numbers describe. */
  AttentionProblem problem(Map<String, Long> n) {
    var sizes = new Sizes(number(n, "B"), number(n, "Sq"), number(n, "Sk"), number(n, "H"), number(n, "Hk"),
        number(n, "D"), number(n, "Dv"));
    var problem = AttentionProblem.dense(type, sizes).at(view(n, "q"), view(n, "k"), view(n, "v"), view(n, "o"))
        .withLogarithms(Optional.of(view(n, "lse")));
    problem = problem.with(modification(n, sizes));
    if (change == Change.SINKS) problem = problem.withSinks("sinks");
    if (change == Change.APART) problem = problem.with(apart(view(n, "lse")));
    if (packed) problem = problem.with(new Packed("cuQ", "cuK", number(n, "N"), number(n, "M")));
    return switch (mask) {
      case ALL -> problem;
      case CAUSAL -> problem.with(Band.CAUSAL);
      case WINDOW -> problem.with(Band.windowAtLaunch(number(n, "L"), number(n, "R")));
    };
  }

  /** Maxima in the place of logarithms, and sums laid out like them. */
  private static Apart apart(View maxima) {
    return new Apart(maxima, new View("sums", 0, maxima.batch(), maxima.sequence(), maxima.head(), maxima.dim()));
  }

  private Modification modification(Map<String, Long> n, Sizes sizes) {
    return switch (change) {
      case NONE, SINKS, APART -> Modification.NONE;
      case SOFTCAP -> SoftcapAtLaunch.of(CAP);
      case ALIBI -> packed
          ? AlibiAtLaunch.packed(n.get("slopes"), number(n, "slopes_b"), "cuQ", "cuK", number(n, "N"))
          : AlibiAtLaunch.of(n.get("slopes"), number(n, "slopes_b"), sizes.queries(), sizes.keys());
    };
  }

  /** The gradients that numbers describe. */
  AttentionBackwardProblem gradients(Map<String, Long> n, boolean deterministic) {
    return AttentionBackwardProblem.dense(problem(n)).at(view(n, "do"), view(n, "dq"), view(n, "dk"), view(n, "dv"))
        .deterministic(deterministic);
  }

  static View view(Map<String, Long> n, String tensor) {
    return new View(tensor, 0, n.get(tensor + "_b"), n.get(tensor + "_s"), n.get(tensor + "_h"), 1);
  }

  private static int number(Map<String, Long> n, String name) {
    return Math.toIntExact(n.get(name));
  }

  private List<Long> dims(List<Long> all) {
    if (narrow) return DIMS_OF_NARROW;
    return change == Change.SINKS || change == Change.APART ? COMMON_DIMS : all;
  }

  /** A case of an operator. */
  OperatorCase of(String key, List<Long> dims, OperatorCase.Problem problem) {
    return new OperatorCase(key, axes(dims(dims)), extents(), slots(), guesses(), problem);
  }
}
