package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.cli.wheel.AttentionKind.Change;
import tilewright.cli.wheel.AttentionKind.Mask;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.cli.wheel.OperatorCase.Derived;
import tilewright.kernel.Chip;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.decoding.Sm80DecodeAttentionKernel;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.choice.Formula;
import tilewright.numerics.ElementType;

/**
 * Attention of few queries of bf16 on a cache of e4m3 codes, in equal shares for all CTAs: lengths are on the device,
 * where a launch computes the schedule from them. Numbers are those of {@link CachedAttention}, and strides of the
 * factors of K and V along heads and batch entries, such as {@code kf_h}, and where each token has its own, rows.
 */
final class CodesAttention implements PackagedOperator {
  private static final int HOPPER = 90;
  /** The type of Q and O, that of models whose caches are made of codes. */
  private static final ElementType TYPE = ElementType.BF16;
  /** Heads that share keys: a kernel has all of them in a tile. */
  private static final List<Integer> SHARERS = List.of(1, 4, 8);
  /** Rows of a page that kernels are made for. */
  private static final List<Integer> PAGES = List.of(16, 64);
  /** Rows of a tile, the smallest that has room for all queries of the heads that share keys. */
  private static final List<Long> TILES = List.of(16L, 32L, 64L);
  /** Rows between which tiles change, and more. */
  private static final List<Long> QUERIES = Stream.concat(Stream.of(1L), Stream.concat(TILES.stream(),
      Stream.of(2 * TILES.getLast()))).toList();
  /** Entries between which the merging kernel changes. */
  private static final List<Long> BATCHES = List.of(1L, 8L, 64L);
  /** Pieces for each place on the GPU. */
  private static final int PIECES = 4;
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  private static final int MOST_HEADS = 16;
  private static final int MOST_KEYS = 1 << 18;
  private static final int MOST_PAGES = 1 << 14;
  /** Strides of codes are multiples of 16 bytes, twice as many elements as those of 16 bits. */
  private static final int CODES = 2;

  @Override
  public String name() {
    return "attention_codes";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability != HOPPER) return Stream.of();
    var pages = Stream.concat(Stream.of(OptionalInt.empty()), PAGES.stream().map(OptionalInt::of)).toList();
    return Stream.of(Mask.ALL, Mask.CAUSAL).map(mask -> new AttentionKind(TYPE, mask, false, Change.NONE, false))
        .flatMap(kind -> SHARERS.stream().flatMap(sharers -> pages.stream().flatMap(page ->
            Stream.of(false, true).filter(tokens -> !tokens || (kind.mask() == Mask.ALL) == (sharers == 1))
                .map(tokens -> of(kind, sharers, page, tokens)))));
  }

  /** @param tokens whether each token has factors of its own: of one query, or of several with a causal mask */
  private static OperatorCase of(AttentionKind kind, int sharers, OptionalInt page, boolean tokens) {
    // Keys in pages are looked for in the same tiles whatever their factors.
    var derived = workers(sharers, tokens && page.isEmpty() ? Serving.Codes.perToken(1, 1) : Serving.Codes.perTensor());
    var workers = Formula.of("workers");
    var batch = Formula.of("B");
    List<LongFunction<Formula>> guesses = List.of(
        _ -> Formula.of("tiles").times(workers.plus(batch).minus(Formula.of(1))),
        _ -> workers.times(Formula.of("Sq")).times(Formula.of("H")));
    var key = kind.key() + (page.isPresent() ? "-pages" + page.getAsInt() : "") + "-by" + sharers
        + (tokens ? "-tokens" : "");
    return new OperatorCase(key, List.of(Axis.only("dim", Formula.of("D"), AttentionKind.COMMON_DIMS),
        new Axis("queries", Formula.of("Sq"), 1, QUERIES.stream().map(rows -> Math.max(1, rows / sharers)).distinct()
            .toList()),
        new Axis("batch", batch, 1, BATCHES)), List.of("B", "Sq", "Sk", "H", "Hk"), List.of(), guesses,
        new Problem(kind, sharers, page, tokens, derived)).deriving(derived);
  }

  /** Tiles of an entry, and the workers that share the batch for each. */
  private static List<Derived> workers(int sharers, Serving.Codes codes) {
    var rows = Formula.of("Sq").times(sharers);
    var tile = byTile(rows, Formula.of(TILES.get(0)), Formula.of(TILES.get(1)), Formula.of(TILES.get(2)));
    long narrow = AttentionKind.COMMON_DIMS.getFirst();
    long wide = AttentionKind.COMMON_DIMS.getLast();
    var resident = TILES.stream().map(of -> Formula.of("D").atMost(Formula.of(narrow), resident(of, narrow, codes),
        resident(of, wide, codes))).toList();
    var places = byTile(rows, resident.get(0), resident.get(1), resident.get(2)).times(PIECES * MULTIPROCESSORS);
    return List.of(new Derived("tiles", rows.ceilDiv(tile).times(Formula.of("Hk"))),
        new Derived("workers", places.dividedBy(Formula.of("tiles").max(1)).max(1)));
  }

  private static Formula byTile(Formula rows, Formula first, Formula second, Formula third) {
    return rows.atMost(Formula.of(TILES.get(0)), first, rows.atMost(Formula.of(TILES.get(1)), second, third));
  }

  /** CTAs of a multiprocessor, for tiles of these rows. */
  private static Formula resident(long tile, long dim, Serving.Codes codes) {
    var sizes = AttentionProblem.Sizes.of(1, Math.toIntExact(tile), 1, 1, Math.toIntExact(dim));
    return Formula.of(new Sm80DecodeAttentionKernel(HOPPER).shape(AttentionProblem.dense(TYPE, sizes)
        .with(Serving.NONE.with(codes))).resident());
  }

  private record Problem(AttentionKind kind, int sharers, OptionalInt page, boolean tokens, List<Derived> derived)
      implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var n = new HashMap<String, Long>();
      n.put("D", axes.get("dim"));
      n.put("Dv", axes.get("dim"));
      n.put("B", axes.get("batch"));
      n.put("Sq", axes.get("queries"));
      n.put("Hk", 1L + random.nextInt(MOST_HEADS));
      n.put("H", sharers * n.get("Hk"));
      AttentionKind.drawStrides(n, random, "q", "k", "v", "o", "lse", "kf", "vf");
      long keys = 1 + random.nextInt(1 << random.nextInt(Integer.numberOfTrailingZeros(MOST_KEYS) + 1));
      long rows = page.isPresent() ? page.getAsInt() : keys;
      n.put("T", Math.ceilDiv(keys, rows));
      n.put("Sk", rows * n.get("T"));
      n.put("P", 1L + random.nextInt(MOST_PAGES));
      for (var tensor : List.of("k", "v")) {
        for (var mode : List.of("_s", "_h")) n.merge(tensor + mode, (long) CODES, Math::multiplyExact);
        n.put(tensor + "_b", rows * n.get(tensor + "_s"));
      }
      Derived.addTo(n, derived);
      return n;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      var pages = page.isPresent() ? Optional.of(new Serving.Pages("table", page.getAsInt(),
          Math.toIntExact(n.get("P")))) : Optional.<Serving.Pages>empty();
      var codes = new Serving.Codes(factor("descaleK", "kf", n), factor("descaleV", "vf", n));
      var serving = new Serving(new KeySplits.Balanced(), Optional.of("lengths"), Optional.empty(), pages,
          Optional.of(codes));
      return new Sm80DecodeAttentionKernel(HOPPER).launches(kind.problem(n).with(serving));
    }

    private Serving.Factor factor(String buffer, String name, Map<String, Long> n) {
      return new Serving.Factor(buffer, tokens ? n.get(name + "_s") : 0, n.get(name + "_h"), n.get(name + "_b"));
    }
  }
}
