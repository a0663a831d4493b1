package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.appending.CacheAppend;
import tilewright.kernels.attention.appending.NewTokens;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.choice.Formula;
import tilewright.numerics.ElementType;
import tilewright.reference.Rotation;

/**
 * Appends new keys and values to the caches of {@link CachedAttention}, and turns new queries. Numbers are the extents
 * B, Sq of new tokens, Sk of an entry's rows, H, Hk and D, the R columns that are turned and the rows S of the tables,
 * strides of each tensor, and of pages their number P, their rows and those T of an entry's table. Caches of codes are
 * those of {@link CodesAttention}, with factors that are given, or of tokens, which are computed.
 */
final class AppendOperator implements PackagedOperator {
  private static final int HOPPER = 90;
  /** Columns that are turned in many models whose heads have more. */
  private static final long TURNED = 32;
  private static final List<Long> COLUMNS = List.of(32L, 48L, 64L, 80L, 96L, 128L, 192L, 256L);
  private static final int MOST_TOKENS = 1 << 12;
  private static final int MOST_ENTRIES = 1 << 7;
  private static final int MOST_HEADS = 70;
  private static final int MOST_ROWS = 1 << 17;
  private static final int MOST_PAGES = 1 << 14;

  @Override
  public String name() {
    return "append_cache";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability != HOPPER) return Stream.of();
    var kinds = Stream.concat(Stream.of(ElementType.BF16, ElementType.F16).map(type -> new Kind(type, Factors.NONE)),
        Stream.of(Factors.HEADS, Factors.TOKENS).map(factors -> new Kind(ElementType.BF16, factors)));
    return kinds.flatMap(kind -> Stream.of(Rotation.values())
        .flatMap(rotation -> Stream.of(false, true).map(pages -> of(new Problem(kind, rotation, pages)))));
  }

  /** The factors of a cache of codes. */
  private enum Factors {
    NONE, HEADS, TOKENS;

    private String text() {
      return switch (this) {
        case NONE -> "";
        case HEADS -> "-codes";
        case TOKENS -> "-codes-tokens";
      };
    }
  }

  /** @param type of new tokens */
  private record Kind(ElementType type, Factors factors) {}

  private static OperatorCase of(Problem problem) {
    var dims = problem.kind.factors == Factors.NONE ? CachedAttention.DIMS : AttentionKind.COMMON_DIMS;
    var axes = new ArrayList<>(List.of(Axis.only("dim", Formula.of("D"), dims),
        new Axis("tokens", Formula.of("Sq"), 1, List.of(1L, 2L))));
    if (problem.turns()) axes.add(Axis.only("turned", Formula.of("R"), COLUMNS));
    var key = problem.kind.type.text() + (problem.turns() ? "-" + problem.rotation.text() : "")
        + (problem.pages ? "-pages" : "") + problem.kind.factors.text();
    return new OperatorCase(key, axes, List.of(), List.of(),
        List.of(tokens -> Formula.of("Sq").ceilDiv(Formula.of(tokens)), heads -> tiles(heads, problem.turns())),
        problem);
  }

  /** Tiles of heads of keys, of values, and of queries if they are turned. */
  private static Formula tiles(long heads, boolean turns) {
    var tiles = Formula.of("Hk").ceilDiv(Formula.of(heads)).times(2);
    return turns ? tiles.plus(Formula.of("H").ceilDiv(Formula.of(heads))) : tiles;
  }

  private record Problem(Kind kind, Rotation rotation, boolean pages) implements OperatorCase.Problem {
    boolean turns() {
      return rotation != Rotation.NONE;
    }

    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var n = new HashMap<String, Long>();
      n.put("D", axes.get("dim"));
      n.put("R", axes.getOrDefault("turned", 0L));
      n.put("Sq", axes.get("tokens") == 1 ? 1 : axes.get("tokens") + random.nextLong(MOST_TOKENS));
      n.put("B", 1 + random.nextLong(MOST_ENTRIES));
      long keyHeads = 1 + random.nextLong(MOST_HEADS);
      n.put("Hk", keyHeads);
      n.put("H", keyHeads * random.nextLong(8));
      n.put("S", turns() ? 1 + random.nextLong(MOST_ROWS) : 0);
      AttentionKind.drawStrides(n, random, "q", "newQ", "k", "v", "newK", "newV", "kf", "vf");
      long page = CachedAttention.PART * (1 + random.nextLong(CachedAttention.PART));
      n.put("T", 1 + random.nextLong(MOST_PAGES) / page);
      n.put("rows", page);
      n.put("P", 1 + random.nextLong(MOST_PAGES));
      n.put("Sk", pages ? page * n.get("T") : 1 + random.nextLong(MOST_ROWS));
      return n;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      long dim = n.get("D");
      int turned = number(n, "R");
      if (turns() && turned != dim && 2 * turned != dim && turned != TURNED) {
        throw new IllegalArgumentException("no kernel turns " + turned + " of " + dim + " columns");
      }
      // Heads of queries count only where these are turned.
      long heads = turns() ? n.get("H") : n.get("Hk");
      var sizes = new Sizes(number(n, "B"), number(n, "Sq"), number(n, "Sk"), (int) heads, number(n, "Hk"),
          number(n, "D"), number(n, "D"));
      var table = pages ? Optional.of(new Serving.Pages("table", number(n, "rows"), number(n, "P")))
          : Optional.<Serving.Pages>empty();
      var codes = Optional.of(new Serving.Codes(factor("descaleK", "kf", n), factor("descaleV", "vf", n)))
          .filter(_ -> kind.factors != Factors.NONE);
      var serving = new Serving(KeySplits.AUTOMATIC, Optional.of("lengths"), Optional.empty(), table, codes);
      var q = AttentionKind.view(n, "q");
      var problem = AttentionProblem.dense(kind.type, sizes)
          .at(q, AttentionKind.view(n, "k"), AttentionKind.view(n, "v"), q).with(serving);
      var rotary = turns() ? new NewTokens.Rotary(rotation, turned, number(n, "S")) : NewTokens.Rotary.NONE;
      var tokens = new NewTokens(turns() ? Optional.of(AttentionKind.view(n, "newQ")) : Optional.empty(),
          AttentionKind.view(n, "newK"), AttentionKind.view(n, "newV"), rotary);
      return LaunchSequence.of(CacheAppend.prepareShared(problem, tokens, Target.SM90A));
    }

    private Serving.Factor factor(String buffer, String name, Map<String, Long> n) {
      long token = kind.factors == Factors.TOKENS ? n.get(name + "_s") : 0;
      return new Serving.Factor(buffer, token, n.get(name + "_h"), n.get(name + "_b"));
    }

    private static int number(Map<String, Long> n, String name) {
      return Math.toIntExact(n.get(name));
    }
  }
}
