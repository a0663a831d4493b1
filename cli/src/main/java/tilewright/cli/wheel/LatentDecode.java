package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.cli.wheel.OperatorCase.Derived;
import tilewright.kernel.Chip;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.choice.Formula;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90MlaDecodeKernel;

/**
 * Decoding by multi-head latent attention of DeepSeek's models, absorbed: rows of 576 columns in pages, whose first 512
 * are V, and lengths and the schedule of {@link LatentSchedule} on the device. Numbers are the extents, P pages in the
 * cache and T in an entry's table, and strides. Where queries choose tokens, Sk is how many each has.
 */
final class LatentDecode implements PackagedOperator {
  static final int HOPPER = 90;
  /** Rows of a page: a block of keys. */
  static final int PAGE = 64;
  /** Columns of V and of K. */
  private static final int VALUE_DIM = 512;
  private static final int HEAD_DIM = VALUE_DIM + 64;
  /** Rows of a tile: those of some heads for some queries. */
  private static final long TILE = 64;
  /** Heads of a tile: those of 128 heads have two tiles, of more a tile for each 64. */
  private static final List<Long> HEADS = List.of(8L, 16L, 32L, TILE);
  /** Entries between which the merging kernel changes. */
  private static final List<Long> BATCHES = List.of(1L, 8L, 64L);
  private static final int MOST_TILES = 4;
  private static final int MOST_QUERIES = 1 << 5;
  private static final int MOST_PAGES = 1 << 12;
  private static final int MOST_TOKENS = 1 << 12;
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();

  /** The keys that queries see. */
  private enum Seen {
    ALL, CAUSAL,
    /** Tokens of the query's own list. */
    CHOSEN;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public String name() {
    return "mla_decode";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability != HOPPER) return Stream.of();
    return Stream.of(ElementType.BF16, ElementType.F16).flatMap(type -> Stream.of(Seen.values())
        .flatMap(seen -> HEADS.stream().map(heads -> of(type, seen, heads))));
  }

  private static OperatorCase of(ElementType type, Seen seen, long heads) {
    var batch = Formula.of("B");
    var rows = Formula.of("Sq").times(Formula.of("H"));
    // A query with tokens of its own has tiles of its own.
    var ofTiles = seen == Seen.CHOSEN && heads < TILE ? Formula.of("Sq").times(Formula.of(TILE)) : rows;
    var workers = Formula.of("workers");
    var parts = Formula.of("parts");
    var derived = Stream.concat(workers(ofTiles).stream(), Stream.of(
        new Derived("parts", StateMerge.partsOfShares(VALUE_DIM, Formula.of("Sq"), Formula.of("H"), batch)),
        new Derived("packs", Formula.of("H").dividedBy(Formula.of(heads))))).toList();
    // Fewer heads are always one pack.
    var extents = Stream.concat(Stream.of("B", "Sq", "H", seen == Seen.CHOSEN ? "Sk" : "T", "P"),
        Stream.of("packs").filter(_ -> heads == TILE)).toList();
    List<LongFunction<Formula>> guesses = List.of(_ -> Formula.of("tiles").times(workers), _ -> workers.times(rows),
        _ -> Formula.of("Sq").times(parts));
    var axes = List.of(Axis.only("dim", Formula.of("D"), List.of((long) HEAD_DIM)),
        new Axis("batch", batch, 1, BATCHES));
    return new OperatorCase(type.text() + "-" + seen.text() + "-by" + heads, axes, extents, List.of(), guesses,
        new Problem(type, seen, heads, derived)).deriving(derived);
  }

  /** The tiles of an entry, and the CTAs of each, of which the GPU has room for one per multiprocessor. */
  static List<Derived> workers(Formula rows) {
    return List.of(new Derived("tiles", rows.ceilDiv(TILE)), new Derived("workers",
        Formula.of(MULTIPROCESSORS).dividedBy(Formula.of("tiles").max(1)).max(1)));
  }

  /** The attention that numbers describe, in shares by a schedule that is there. */
  static AttentionProblem problem(ElementType type, Map<String, Long> n) {
    return problem(type, n, Serving.NONE.with(new Serving.Pages("table", PAGE, Math.toIntExact(n.get("P")))));
  }

  private static AttentionProblem problem(ElementType type, Map<String, Long> n, Serving cache) {
    var serving = cache.with(new KeySplits.Balanced(Optional.of("schedule"))).withLengths("lengths");
    var keys = AttentionKind.view(n, "k");
    return AttentionProblem.latent(type, Math.toIntExact(n.get("B")), Math.toIntExact(n.get("Sq")),
        Math.toIntExact(n.get("Sk")), Math.toIntExact(n.get("H")), HEAD_DIM, VALUE_DIM)
        .at(AttentionKind.view(n, "q"), keys, keys, AttentionKind.view(n, "o"))
        .withLogarithms(Optional.of(AttentionKind.view(n, "lse"))).with(serving);
  }

  private record Problem(ElementType type, Seen seen, long heads, List<Derived> derived)
      implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var n = new HashMap<String, Long>();
      n.put("D", axes.get("dim"));
      n.put("B", axes.get("batch"));
      n.put("Sq", 1L + random.nextInt(1 << random.nextInt(Integer.numberOfTrailingZeros(MOST_QUERIES) + 1)));
      n.put("H", heads == TILE ? heads * (1 + random.nextInt(MOST_TILES)) : heads);
      n.put("P", 1L + random.nextInt(MOST_PAGES));
      if (seen == Seen.CHOSEN) n.put("Sk", 1L + random.nextInt(MOST_TOKENS));
      else {
        n.put("T", 1L + random.nextInt(MOST_PAGES));
        n.put("Sk", PAGE * n.get("T"));
      }
      AttentionKind.drawStrides(n, random, "q", "k", "o", "lse");
      n.put("k_b", PAGE * n.get("k_s"));
      Derived.addTo(n, derived);
      return n;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      var kernel = new Sm90MlaDecodeKernel();
      return switch (seen) {
        case ALL -> kernel.launches(problem(type, n));
        case CAUSAL -> kernel.launches(problem(type, n).with(Band.CAUSAL));
        case CHOSEN -> kernel.launches(problem(type, n,
            Serving.NONE.with(new Serving.Tokens("table", PAGE, Math.toIntExact(n.get("P"))))));
      };
    }
  }
}
