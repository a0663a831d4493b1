package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.cli.wheel.AttentionKind.Change;
import tilewright.cli.wheel.AttentionKind.Mask;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.cli.wheel.OperatorCase.Derived;
import tilewright.kernel.Chip;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.attention.merging.SplitRule;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.choice.HeadOrder;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90AttentionKernel;

/**
 * Attention on a cache of keys and values, whose lengths the launch reads, as {@link AttentionKind} has it. A cache has
 * an entry for each of the batch, with rows before its first key, or pages of numbers in a table (B,T). Numbers besides
 * are the splits that are asked for, 0 for the kernel's own choice, and of pages their number P, their rows and T.
 *
 * @param few whether queries are at most {@link #FEW}, so that keys may be split
 */
record CachedAttention(boolean few) implements PackagedOperator {
  /** Head dimensions of common models: a cache is not filled up to others. */
  static final List<Long> DIMS = List.of(64L, 80L, 96L, 128L, 192L, 256L);
  /** Rows of a page are multiples of this number, or all rows of an entry. */
  static final int PART = 16;
  /** Heads that share keys, and tiles where queries are few and see different keys; others have tiles apart. */
  private static final List<Integer> SHARERS = List.of(4, 8);
  private static final int HOPPER = 90;
  /** Queries that fit in one warpgroup's tile. */
  private static final long FEW = 64;
  private static final long LONGEST = 1 << 19;
  private static final int MOST_PAGES = 1 << 14;
  private static final int MOST_PAGE_POWER = 6;
  private static final int MOST_ASKED = 40;
  /** Numbers of splits that stand for all whose results a warp merges, and for all that are more. */
  private static final long FEW_SPLITS = 2;
  private static final long MANY_SPLITS = StateMerge.FEW_STATES + 1;
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();

  @Override
  public String name() {
    return few ? "attention_decode" : "attention_extend";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability != HOPPER) return Stream.of();
    return Stream.of(ElementType.BF16, ElementType.F16).flatMap(type -> Stream.of(false, true).flatMap(pages ->
        kinds(type).flatMap(kind -> Stream.concat(Stream.of(of(kind, pages, 1)), SHARERS.stream()
            .filter(_ -> few && kind.mask() != Mask.ALL && kind.change() != Change.SOFTCAP)
            .map(sharers -> of(kind, pages, sharers))))));
  }

  private static Stream<AttentionKind> kinds(ElementType type) {
    var masks = Stream.of(Change.NONE, Change.SINKS).flatMap(change -> Stream.of(Mask.values())
        .map(mask -> new AttentionKind(type, mask, false, change, false)));
    return Stream.concat(masks, Stream.of(new AttentionKind(type, Mask.WINDOW, false, Change.SOFTCAP, false)));
  }

  /**
   * A case of a kind of attention.
   *
   * @param sharers heads that share tiles; 1 where none do
   */
  private OperatorCase of(AttentionKind kind, boolean pages, int sharers) {
    var derived = few ? splits(kind, sharers) : List.<Derived>of();
    boolean common = sharers > 1 || kind.change() == Change.SINKS;
    var dims = Axis.only("dim", Formula.of("D"), common ? AttentionKind.COMMON_DIMS : DIMS);
    var seen = kind.mask() == Mask.WINDOW
        ? Formula.of("Sk").min(Formula.of("L").plus(Formula.of("R")).plus(Formula.of(1))) : Formula.of("Sk");
    var axes = few ? List.of(dims, Axis.only("queries", Formula.of("Sq"), List.of(FEW / sharers)),
        Axis.only("split", merged(Formula.of("splits")), List.of(1L, FEW_SPLITS, MANY_SPLITS)))
        : List.of(dims, new Axis("keys", seen, 1,
            LongStream.iterate(1, length -> length <= LONGEST, length -> 2 * length).boxed().toList()));
    return new OperatorCase(kind.key() + (pages ? "-pages" : "") + (sharers > 1 ? "-by" + sharers : ""), axes,
        List.of("B", "Sq", "Sk", "H", "Hk", "D"), List.of(), guesses(kind, sharers),
        new Problem(kind, pages, sharers, few, derived)).deriving(derived);
  }

  /** The number that stands for a number of splits: none are merged, few or many. */
  private static Formula merged(Formula splits) {
    return splits.atMost(Formula.of(1), Formula.of(1), splits.atMost(Formula.of(StateMerge.FEW_STATES),
        Formula.of(FEW_SPLITS), Formula.of(MANY_SPLITS)));
  }

  /** The blocks of keys of a split, and how many splits there are. */
  private static List<Derived> splits(AttentionKind kind, int sharers) {
    var keys = Formula.of("Sk");
    var heads = Formula.of("H");
    var seen = kind.mask() == Mask.WINDOW
        ? keys.min(Formula.of("L").plus(Formula.of("R")).plus(Formula.of("Sq"))) : keys;
    var block = Sm90AttentionKernel.keysOfFewSplit(Formula.of("D"));
    var rule = new SplitRule(keys, seen, block, Formula.of("B").times(tiles(sharers)),
        Formula.of("Sq").times(heads.dividedBy(Formula.of("Hk"))), true);
    var asked = Formula.of("asked");
    var each = asked.atMost(Formula.of(0), rule.each(MULTIPROCESSORS), rule.blocks().ceilDiv(asked.max(1)));
    return List.of(new Derived("each", each), new Derived("splits", rule.blocks().ceilDiv(Formula.of("each"))));
  }

  /** Tiles of queries of an entry. */
  private static Formula tiles(int sharers) {
    return Formula.of(sharers > 1 ? "Hk" : "H");
  }

  /** Work items, the states that they leave, and the heads that run side by side where heads share tiles. */
  private List<LongFunction<Formula>> guesses(AttentionKind kind, int sharers) {
    var all = new ArrayList<>(kind.guesses());
    if (few) {
      var splits = Formula.of("splits").times(Formula.of("B"));
      var items = splits.times(tiles(sharers));
      var rows = splits.times(Formula.of("H")).times(Formula.of("Sq"));
      all.addAll(List.of(_ -> items, _ -> rows, _ -> rows.times(Formula.of("D"))));
    }
    if (sharers > 1) {
      var bytes = Formula.of("Sk").times(Formula.of("D").plus(Formula.of("Dv"))).times(kind.type().bytes());
      LongFunction<HeadOrder.Groups> groups = tile -> Sm90AttentionKernel.HEADS.inWaves(
          Formula.of("B").times(tiles(sharers)), Formula.of(1), bytes, Formula.of("Sq").ceilDiv(Formula.of(tile)));
      all.addAll(List.of(tile -> groups.apply(tile).together(), tile -> groups.apply(tile).beforeLast()));
    }
    return all;
  }

  private record Problem(AttentionKind kind, boolean pages, int sharers, boolean few, List<Derived> derived)
      implements OperatorCase.Problem {
    private Sm90AttentionKernel kernel() {
      var kernel = new Sm90AttentionKernel().withPagesOf(PART);
      return sharers > 1 ? kernel : kernel.withoutPacking();
    }

    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      if (!few) {
        // Short ones often: grids of long ones are all as large as the GPU.
        long queries = FEW + 1 + random.nextLong(1L << random.nextInt(Long.numberOfTrailingZeros(LONGEST)));
        return drawn(Map.of("dim", axes.get("dim"), "queries", queries, "keys", axes.get("keys")), random);
      }
      // Until keys are in as many splits as are asked for.
      while (true) {
        long keys = 1 + random.nextLong(1L << random.nextInt(Long.numberOfTrailingZeros(LONGEST)));
        long queries = 1 + random.nextLong(random.nextBoolean() ? FEW / sharers : 4);
        var point = Map.of("dim", axes.get("dim"), "queries", queries, "keys", keys);
        var numbers = drawn(sharers > 1 ? with(point, "sharers", (long) sharers) : point, random);
        if (merged(Formula.of(numbers.get("splits"))).value() == axes.get("split")) return numbers;
      }
    }

    private static Map<String, Long> with(Map<String, Long> point, String name, long number) {
      var more = new HashMap<>(point);
      more.put(name, number);
      return more;
    }

    private Map<String, Long> drawn(Map<String, Long> axes, RandomGenerator random) {
      var numbers = kind.draw(axes, random);
      AttentionKind.drawStrides(numbers, random, "q", "k", "v", "o", "lse");
      numbers.put("asked", random.nextBoolean() ? 0 : 1 + random.nextLong(MOST_ASKED));
      long rows = numbers.get("Sk");
      if (pages) {
        long page = (long) PART << random.nextInt(MOST_PAGE_POWER);
        if (few || kind.mask() == Mask.WINDOW) numbers.put("Sk", Math.ceilDiv(rows, page) * page);
        rows = numbers.get("Sk") % page == 0 ? page : numbers.get("Sk");
        numbers.put("T", numbers.get("Sk") / rows);
        numbers.put("P", 1 + random.nextLong(MOST_PAGES));
        numbers.put("rows", rows);
      }
      for (var tensor : List.of("k", "v")) numbers.put(tensor + "_b", rows * numbers.get(tensor + "_s"));
      Derived.addTo(numbers, derived);
      return numbers;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      long asked = n.get("asked");
      var serving = new Serving(asked > 0 ? new KeySplits.Ranges((int) asked) : KeySplits.AUTOMATIC,
          Optional.of("lengths"), pages ? Optional.empty() : Optional.of("padding"),
          pages ? Optional.of(new Serving.Pages("table", Math.toIntExact(n.get("rows")),
              Math.toIntExact(n.get("P")))) : Optional.empty(), Optional.empty());
      var problem = kind.problem(n).with(serving);
      return few ? kernel().launches(problem) : LaunchSequence.of(kernel().prepare(problem));
    }
  }
}
