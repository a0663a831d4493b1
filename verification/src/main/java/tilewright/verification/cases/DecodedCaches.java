package tilewright.verification.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;

/** Few queries on caches of numbers and of codes: split, in pages of any number of rows, some entries without keys. */
public final class DecodedCaches {
  private static final Serving.Codes PER_TENSOR = Serving.Codes.perTensor();

  private DecodedCaches() {}

  /** Problems of the SM80 kernel for decoding, the smallest first. */
  static List<AttentionCases.Setup> setups() {
    var all = new ArrayList<AttentionCases.Setup>();
    all.add(CachedAttention.used(new Sizes(2, 2, 70, 4, 2, 64, 64), new KeySplits.Fixed(64), Band.CAUSAL, 70, 33));
    // Tiles of 16, 32 and 64 rows, of which some stay empty, and several tiles of each head.
    for (int queries : new int[] {1, 8, 16, 70}) {
      all.add(split(new Sizes(1, queries, 300, 6, 2, 128, 128), Band.CAUSAL, 2));
    }
    for (int dim : new int[] {96, 192, 256}) all.add(split(new Sizes(1, 3, 200, 4, 1, dim, dim), Band.ALL, 2));
    all.add(split(new Sizes(1, 5, 400, 6, 2, 80, 64), Band.window(100, 0), 3));
    var one = CachedAttention.used(new Sizes(3, 1, 600, 8, 2, 128, 128), new KeySplits.Fixed(128), Band.ALL, 600, 0,
        129);
    all.add(one);
    all.add(CachedAttention.padded(one));
    all.add(AttentionSinks.with(one));
    all.add(AttentionSinks.with(CachedAttention.used(new Sizes(2, 2, 200, 6, 2, 64, 64), new KeySplits.Ranges(1),
        Band.CAUSAL, 0, 150)));
    all.add(AttentionSinks.with(CachedAttention.used(new Sizes(4, 2, 700, 4, 2, 64, 64), new KeySplits.Balanced(),
        Band.CAUSAL, 700, 0, 33, 300)));
    all.add(ApartStatistics.with(one));
    all.add(ApartStatistics.with(AttentionSinks.with(CachedAttention.used(new Sizes(2, 2, 200, 6, 2, 64, 64),
        new KeySplits.Ranges(1), Band.CAUSAL, 0, 150))));
    all.add(ApartStatistics.with(CachedAttention.used(new Sizes(2, 1, 300, 4, 2, 64, 64), new KeySplits.Balanced(),
        Band.ALL, 300, 33)));
    var few = CachedAttention.used(new Sizes(2, 2, 300, 4, 2, 64, 64), new KeySplits.Ranges(2), Band.CAUSAL, 300, 33);
    for (int rows : new int[] {1, 16, 24, 64, 256}) all.add(CachedAttention.paged(few, rows));
    var numbers = List.copyOf(all);
    IntStream.range(0, numbers.size()).mapToObj(i -> inCodes(numbers.get(i), i)).forEach(all::add);
    return all;
  }

  private static AttentionCases.Setup split(Sizes sizes, Band band, int ranges) {
    var setup = AttentionCases.band(sizes.valueDim() < 128 ? ElementType.F16 : ElementType.BF16, sizes, band);
    var p = setup.problem();
    return new AttentionCases.Setup(setup.name() + " split in " + ranges,
        p.with(p.serving().with(new KeySplits.Ranges(ranges))), setup.rules());
  }

  /** Codes whose K and V have one factor each, one for each head, or one for each head of each token, in turns. */
  private static AttentionCases.Setup inCodes(AttentionCases.Setup setup, int number) {
    return switch (number % 3) {
      case 0 -> CachedAttention.inCodes(setup, PER_TENSOR);
      case 1 -> CachedAttention.inCodes(setup, Serving.Codes.perHead(setup.problem().sizes().keyHeads()));
      default -> CachedAttention.inCodesOfTokens(setup);
    };
  }
}
