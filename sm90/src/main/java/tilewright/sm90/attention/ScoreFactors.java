package tilewright.sm90.attention;

import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.sm90.atom.WgmmaAtom;

/** The factors of a warpgroup's scores: the scale, and of quantized operands their own factors too. */
interface ScoreFactors {

  /** The factor of each row of the thread in the softmax, times log₂ e. */
  List<F32> ofSoftmax();

  /** The factor of each row of the thread before the function of scores. */
  List<F32> ofFunction();

  /** Begins to read a tile's factors; {@link #settle} follows. */
  void read(Supplier<AttentionTiles.Tile> tile);

  /** Makes the factors that were read the present ones. */
  void settle();

  /** Takes in the factor of a block of keys. */
  void read(AttentionTiles.Tile tile, I32 block);

  static ScoreFactors of(Scope k, Sm90AttentionConfig config, FragmentRows rows, I32 lane, I32 group) {
    return config.quantized().<ScoreFactors>map(q -> new OfRows(k, config, q, rows, lane, group))
        .orElseGet(() -> new OfAll(k, config, rows));
  }

  /** The scale alone. */
  record OfAll(Scope k, Sm90AttentionConfig config, FragmentRows rows) implements ScoreFactors {
    @Override
    public List<F32> ofSoftmax() {
      return Collections.nCopies(rows.count(), config.modification().softmaxScale(k, k.scalar("scale")));
    }

    @Override
    public List<F32> ofFunction() {
      return Collections.nCopies(rows.count(), k.scalar("scale"));
    }

    @Override
    public void read(Supplier<AttentionTiles.Tile> tile) {}

    @Override
    public void settle() {}

    @Override
    public void read(AttentionTiles.Tile tile, I32 block) {}
  }

  /** The scale times the factor of a row's block of queries and that of its head's keys, or of a block of them. */
  final class OfRows implements ScoreFactors {
    private final Scope k;
    private final Sm90AttentionConfig config;
    private final Sm90AttentionConfig.Quantized quantized;
    private final FragmentRows rows;
    private final I32 lane;
    private final I32 group;
    private final GlobalTensor ofQueries;
    private final GlobalTensor ofKeys;
    private final List<F32.Accumulator> factors;
    private final F32.Accumulator keys;
    private final List<F32.Accumulator> ofBlock;

    private OfRows(Scope k, Sm90AttentionConfig config, Sm90AttentionConfig.Quantized quantized, FragmentRows rows,
        I32 lane, I32 group) {
      this.k = k;
      this.config = config;
      this.quantized = quantized;
      this.rows = rows;
      this.lane = lane;
      this.group = group;
      ofQueries = k.global(AttentionSpecs.factors("descaleQ"));
      ofKeys = k.global(AttentionSpecs.factors("descaleK"));
      factors = Stream.generate(k::accumulator).limit(rows.count()).toList();
      keys = k.accumulator();
      ofBlock = isWhole() ? factors : Stream.generate(k::accumulator).limit(rows.count()).toList();
    }

    /** Whether all keys of a head share a factor. */
    private boolean isWhole() {
      return quantized.keys() == Factors.WHOLE;
    }

    @Override
    public List<F32> ofSoftmax() {
      return config.modification().score().isPresent()
          ? Collections.nCopies(rows.count(), config.modification().softmaxScale(k, k.constant(1f))) : ofFunction();
    }

    @Override
    public List<F32> ofFunction() {
      return ofBlock.stream().map(F32.Accumulator::value).toList();
    }

    @Override
    public void read(Supplier<AttentionTiles.Tile> next) {
      var tile = next.get();
      var packing = config.packing();
      var first = packing.rows(tile.query()).plus(group.times(WgmmaAtom.M));
      for (int row = 0; row < rows.count(); row++) {
        var at = first.plus(rows.row(lane, row));
        // Rows behind the last query, or without a head, take any factor.
        var block = quantized.queries() == Factors.WHOLE ? k.constant(0)
            : packing.query(at).dividedBy(quantized.queries()).min(ofQueries.extent(0).plus(-1));
        var head = packing.head(tile.head(), at).min(ofQueries.extent(1).plus(-1));
        factors.get(row).set(ofQueries.at(block, head, tile.batch()).load());
      }
      if (isWhole()) keys.set(ofKeys.at(k.constant(0), tile.headOfKeys(), tile.batch()).load());
    }

    @Override
    public void settle() {
      var scale = config.modification().score().isPresent() ? k.scalar("scale")
          : config.modification().softmaxScale(k, k.scalar("scale"));
      multiply(factors, isWhole() ? scale.times(keys.value()) : scale);
    }

    @Override
    public void read(AttentionTiles.Tile tile, I32 block) {
      if (isWhole()) return;
      var number = block.times(config.shape().keys()).dividedBy(quantized.keys());
      multiply(ofBlock, ofKeys.at(number, tile.headOfKeys(), tile.batch()).load());
    }

    /** Sets each row's factor to a multiple: positive, so that a key that is not seen keeps its −∞. */
    private void multiply(List<F32.Accumulator> into, F32 by) {
      IntStream.range(0, rows.count()).forEach(row -> into.get(row)
          .set(factors.get(row).value().times(by).max(k.constant(Float.MIN_NORMAL))));
    }
  }
}
