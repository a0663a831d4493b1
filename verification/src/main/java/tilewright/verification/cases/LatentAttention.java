package tilewright.verification.cases;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.numerics.ElementType;

/** Attention on rows of K whose first columns are V: decoding as DeepSeek's models do it. */
public final class LatentAttention {
  private static final int HEAD_DIM = 576;
  private static final int VALUE_DIM = 512;

  private LatentAttention() {}

  /**
   * Few queries on an even cache.
   *
   * @param valueDim columns of V, which K has 64 more than
   */
  public static AttentionCases.Setup of(ElementType type, int batch, int queries, int keys, int heads, int valueDim,
      Band band, KeySplits splits) {
    var p = AttentionProblem.latent(type, batch, queries, keys, heads, valueDim + HEAD_DIM - VALUE_DIM, valueDim)
        .with(band);
    return CachedAttention.split(new AttentionCases.Setup(band.isAll() ? "latent" : "latent causal", p,
        (_, q, k) -> AttentionCases.rule(band, q, k)), splits);
  }

  /** The setup with only some keys of each batch entry in use. */
  public static AttentionCases.Setup used(AttentionCases.Setup setup, int... lengths) {
    var p = setup.problem();
    return new AttentionCases.Setup(setup.name() + " of " + Arrays.toString(lengths) + " keys",
        p.with(p.serving().withLengths("used")), setup.rules(), new int[0], lengths);
  }

  /** Heads that fill a tile, less than that and more, with splits and pages, some of them without keys. */
  static List<AttentionCases.Setup> setups() {
    var all = new ArrayList<AttentionCases.Setup>();
    all.add(of(ElementType.BF16, 1, 1, 150, 16, VALUE_DIM, Band.ALL, new KeySplits.Ranges(1)));
    all.add(of(ElementType.F16, 2, 3, 100, 24, VALUE_DIM, Band.CAUSAL, new KeySplits.Ranges(1)));
    all.add(used(of(ElementType.BF16, 3, 1, 300, 128, VALUE_DIM, Band.ALL, new KeySplits.Fixed(128)), 300, 0, 65));
    all.add(CachedAttention.paged(used(of(ElementType.BF16, 3, 2, 300, 32, VALUE_DIM, Band.CAUSAL,
        new KeySplits.Ranges(2)), 257, 1, 0), 64));
    all.add(ChosenTokens.of(of(ElementType.BF16, 2, 2, 150, 16, VALUE_DIM, Band.ALL, new KeySplits.Ranges(1)), 64, 3));
    all.add(ChosenTokens.of(of(ElementType.F16, 3, 1, 300, 128, VALUE_DIM, Band.ALL, new KeySplits.Fixed(128)), 64, 9));
    return all;
  }

  /** Caches with sinks, left padding, maxima and sums apart and pages of few rows, of fewer columns of V. */
  static List<AttentionCases.Setup> further() {
    var used = used(of(ElementType.BF16, 3, 2, 200, 20, 128, Band.CAUSAL, new KeySplits.Ranges(2)), 177, 0, 65);
    var one = used(of(ElementType.F16, 2, 1, 150, 16, 256, Band.ALL, new KeySplits.Balanced()), 150, 33);
    return List.of(used(of(ElementType.BF16, 1, 1, 100, 16, 384, Band.window(50, 0), new KeySplits.Ranges(1)), 90),
        CachedAttention.paged(used, 3), AttentionSinks.with(used), CachedAttention.padded(used),
        ApartStatistics.with(used), AttentionSinks.with(one), ApartStatistics.with(one));
  }

  /** A problem so small that it suits the quick suite as the first one that only a GPU runs. */
  static AttentionCases.Setup forQuickSuite() {
    return of(ElementType.BF16, 1, 1, 64, 40, 128, Band.ALL, new KeySplits.Ranges(1));
  }

  /** Problems that only a GPU computes in reasonable time. */
  static List<AttentionCases.Setup> large() {
    var one = of(ElementType.BF16, 1, 1, 3000, 64, VALUE_DIM, Band.ALL, KeySplits.AUTOMATIC);
    var pair = of(ElementType.BF16, 2, 1, 3000, 128, VALUE_DIM, Band.ALL, KeySplits.AUTOMATIC);
    var mixed = used(of(ElementType.BF16, 5, 1, 30000, 128, VALUE_DIM, Band.ALL, new KeySplits.Balanced()), 30000, 0, 1,
        2500, 7000);
    var several = of(ElementType.F16, 2, 4, 1500, 64, VALUE_DIM, Band.CAUSAL, new KeySplits.Ranges(1));
    var chosen = ChosenTokens.of(of(ElementType.BF16, 8, 2, 2048, 128, VALUE_DIM, Band.ALL, KeySplits.AUTOMATIC), 64,
        200);
    var balanced = ChosenTokens.of(used(of(ElementType.F16, 20, 1, 700, 16, VALUE_DIM, Band.ALL,
        new KeySplits.Balanced()), IntStream.range(0, 20).map(entry -> 37 * entry % 701).toArray()), 64, 50);
    return List.of(CachedAttention.paged(used(one, 2970), 64), CachedAttention.paged(used(pair, 3000, 2049), 64),
        used(several, 1500, 777), mixed, CachedAttention.paged(mixed, 64), chosen, balanced);
  }
}
