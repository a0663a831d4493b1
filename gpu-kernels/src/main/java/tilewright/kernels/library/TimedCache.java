package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.registry.TimedProblem;
import tilewright.numerics.ElementType;

/**
 * A cache of keys and values whose reading is timed: one tensor or pages in any order, all of it in use or as much as
 * lengths say that the launch reads.
 *
 * @param integers the table of pages and the lengths, or the tokens that queries choose
 * @param keys in use, of all batch entries together, or of a query of each
 * @param features what a configuration says of the cache
 */
record TimedCache(AttentionProblem problem, List<TimedProblem.Tensor> integers, long keys, String features) {
  /** The setting for keys in one tensor. */
  static final String WHOLE = "0";
  /** Lengths that fill the cache. */
  static final String FULL = "full";

  private static final String LOGARITHMIC = "log";
  private static final int SHORTEST = 64;
  private static final long SEED = 33;

  /**
   * The cache of a problem.
   *
   * @param page rows of a page, or 0 for one tensor
   * @param lengths {@link #FULL}, or {@code log}: drawn from 64 keys to all, so that each length is as likely as its
   *     double
   * @throws IllegalArgumentException for other words, and pages that the keys are no whole number of
   */
  static TimedCache of(AttentionProblem problem, int page, String lengths) {
    var cache = new TimedCache(problem, List.of(), (long) problem.sizes().batch() * problem.sizes().keys(), "");
    if (page > 0) cache = cache.inPages(page);
    return switch (lengths) {
      case FULL -> cache;
      case LOGARITHMIC -> cache.partlyUsed();
      default -> throw new IllegalArgumentException("invalid lengths=" + lengths + ": " + FULL + " or " + LOGARITHMIC);
    };
  }

  /**
   * The cache of a problem whose queries choose tokens, all of them different, among those of their entry.
   *
   * @param room tokens of an entry in the cache
   * @param page rows of a page, or 0 for one of all rows of an entry
   * @throws IllegalArgumentException for pages that the tokens are no whole number of, and for more keys than tokens
   */
  static TimedCache chosen(AttentionProblem problem, int room, int page) {
    var s = problem.sizes();
    int rows = page > 0 ? page : room;
    if (room % rows != 0 || s.keys() > room) {
      throw new IllegalArgumentException("invalid topk=" + s.keys() + " of " + room + " tokens in pages of " + rows
          + ": needed are " + room + " or fewer, in whole pages");
    }
    var random = new Random(SEED);
    var order = new ArrayList<>(IntStream.range(0, room).boxed().toList());
    var indices = new ArrayList<Integer>();
    for (int query = 0; query < s.batch() * s.queries(); query++) {
      int first = query / s.queries() * room;
      Collections.shuffle(order, random);
      order.subList(0, s.keys()).forEach(token -> indices.add(first + token));
    }
    var cache = new TimedCache(problem, List.of(), (long) s.batch() * s.keys(), "");
    var chosen = problem.choosing(new Serving.Tokens("indices", rows, s.batch() * (room / rows)));
    return cache.with(chosen, "indices", indices, cache.keys, " top " + s.keys() + " in pages of " + rows);
  }

  private TimedCache inPages(int rows) {
    int all = problem.sizes().keys();
    if (all % rows != 0) {
      throw new IllegalArgumentException("invalid page=" + rows + ": " + all + " keys are no whole number of pages");
    }
    int count = problem.sizes().batch() * (all / rows);
    var order = new ArrayList<>(IntStream.range(0, count).boxed().toList());
    Collections.shuffle(order, new Random(SEED));
    var paged = problem.paged(new Serving.Pages("table", rows, count));
    boolean ofTokens = paged.serving().codes().filter(Serving.Codes::ofTokens).isPresent();
    var serving = ofTokens ? paged.serving().with(Serving.Codes.perToken(rows, paged.sizes().keyHeads()))
        : paged.serving();
    return with(paged.with(serving), "table", order, keys, " pages of " + rows);
  }

  private TimedCache partlyUsed() {
    int most = problem.sizes().keys();
    if (most < SHORTEST) {
      throw new IllegalArgumentException("invalid lengths=" + LOGARITHMIC + ": " + most + " keys are less than "
          + SHORTEST);
    }
    var random = new Random(SEED);
    var used = Stream.generate(() -> (int) (SHORTEST * Math.pow((double) most / SHORTEST, random.nextDouble())))
        .limit(problem.sizes().batch()).toList();
    long sum = used.stream().mapToLong(Integer::longValue).sum();
    return with(problem.with(problem.serving().withLengths("used")), "used", used, sum,
        " lengths " + SHORTEST + " to " + most);
  }

  private TimedCache with(AttentionProblem changed, String name, List<Integer> values, long inUse, String feature) {
    var all = new ArrayList<>(integers);
    all.add(new TimedProblem.Tensor(name, ElementType.I32, values.size(), new TimedProblem.Content.Given(values)));
    return new TimedCache(changed, List.copyOf(all), inUse, features + feature);
  }
}
