package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.SplittableRandom;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.attention.serving.Serving.Tokens;
import tilewright.numerics.ElementType;

/** Attention of queries on tokens that each has chosen in a cache of pages: all rows that none has chosen are NaN. */
public final class ChosenTokens {
  private static final String INDICES = "indices";
  /** One place of that many has no token. */
  private static final int HOLES = 4;

  private ChosenTokens() {}

  /** The setup on a cache of some pages, whose queries have as many tokens as they had keys. */
  public static AttentionCases.Setup of(AttentionCases.Setup setup, int rows, int pages) {
    var p = setup.problem().choosing(new Serving.Tokens(INDICES, rows, pages));
    return new AttentionCases.Setup(setup.name() + " chosen in pages of " + rows, p, setup.rules(), setup.queries(),
        setup.keys());
  }

  /**
   * Adds the cache and the tokens. Of three queries, one has places without a token between others, one has them in the
   * half behind, and one has nothing else. Few pages have few rows, which queries choose several times.
   */
  static void fill(AttentionCases.Setup setup, Tokens tokens, Map<String, MemorySegment> buffers, long seed) {
    var p = setup.problem();
    var s = p.sizes();
    var random = new SplittableRandom(seed);
    int all = tokens.rows() * tokens.count();
    buffers.put(p.k().buffer(), Buffers.normal(p.type(), (long) all * s.headDim(), seed));
    var indices = new int[s.batch() * s.queries() * s.keys()];
    var chosen = new BitSet();
    for (int i = 0; i < indices.length; i++) {
      boolean hole = switch (i / s.keys() % 3) {
        case 0 -> random.nextInt(HOLES) == 0;
        case 1 -> i % s.keys() >= s.keys() / 2;
        default -> true;
      };
      indices[i] = hole ? Tokens.NO_TOKEN : random.nextInt(all);
      if (!hole) chosen.set(indices[i]);
    }
    for (int token = chosen.nextClearBit(0); token < all; token = chosen.nextClearBit(token + 1)) {
      CachedAttention.spoil(p, buffers, token / tokens.rows(), token % tokens.rows());
    }
    buffers.put(tokens.indices(), Buffers.of(ElementType.I32, Arrays.stream(indices).asDoubleStream().toArray()));
    tokens.requireFit(buffers, s.batch(), s.queries(), s.keys());
  }
}
