package tilewright.sm90.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * What quantized V is multiplied by: O is a sum of codes in units of the present block's factor, and is rescaled where
 * the next block has another one.
 *
 * @param present the factor of the present block
 */
record ValueFactors(Scope k, Sm90AttentionConfig config, Optional<GlobalTensor> factors, F32.Accumulator present) {

  static ValueFactors of(Scope k, Sm90AttentionConfig config) {
    return new ValueFactors(k, config, config.quantized().map(_ -> k.global(AttentionSpecs.factors("descaleV"))),
        k.accumulator());
  }

  /** Whether blocks of a head may have different factors. */
  private boolean areOfBlocks() {
    return config.quantized().filter(q -> q.values() != Factors.WHOLE).isPresent();
  }

  /** Begins a tile with the factor of its first block. */
  void begin(AttentionTiles.Tile tile, I32 block) {
    if (areOfBlocks()) present.set(factor(tile, block));
  }

  /** The factors of O so far, one a row, from the present block to the next. */
  List<F32> next(AttentionTiles.Tile tile, I32 block, List<F32> rows) {
    if (!areOfBlocks()) return rows;
    var factor = factor(tile, block);
    factor.register();
    var change = present.value().dividedBy(factor);
    change.register();
    present.set(factor);
    return rows.stream().map(change::times).toList();
  }

  /** The factor of a tile's O, if V is quantized. */
  Optional<F32> ofOutput(AttentionTiles.Tile tile) {
    return areOfBlocks() ? Optional.of(present.value()) : factors.map(_ -> factor(tile, k.constant(0)));
  }

  private F32 factor(AttentionTiles.Tile tile, I32 block) {
    int rows = config.quantized().orElseThrow().values();
    var number = rows == Factors.WHOLE ? k.constant(0) : block.times(config.shape().keys()).dividedBy(rows);
    return factors.orElseThrow().at(number, tile.headOfKeys(), tile.batch()).load();
  }
}
