package tilewright.kernels.attention.decoding;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * The factors of a cache of codes: that of K multiplies the scores, that of V the output. Those of tokens multiply the
 * columns of S and of P, where {@link TokenFactors} has them.
 *
 * @param ofTokens whether each token has factors of its own
 */
record CodeFactors(GlobalTensor ofKeys, GlobalTensor ofValues, boolean ofTokens) {
  /** A factor of P that the output is divided by behind the loop: products with V's are then not subnormal in f16. */
  static final float SHIFT = 256;

  static CodeFactors of(Scope k, DecodeConfig config) {
    return new CodeFactors(k.global(AttentionSpecs.factors("descaleK")), k.global(AttentionSpecs.factors("descaleV")),
        config.tokenFactors());
  }

  /** The factor of a tile's scores, positive so that a key that is not seen keeps its −∞. */
  F32 ofScores(AttentionTiles.Tile tile, F32 scale) {
    return ofTokens ? scale : scale.times(factor(ofKeys, tile)).max(scale.constant(Float.MIN_NORMAL));
  }

  /** The results of a tile's rows, with 1/ℓ times the factor of V. */
  List<OnlineSoftmax.Total> ofOutput(AttentionTiles.Tile tile, List<OnlineSoftmax.Total> totals) {
    var factor = ofTokens ? totals.getFirst().inverse().constant(1 / SHIFT) : factor(ofValues, tile);
    return totals.stream().map(t -> t.with(t.inverse().times(factor))).toList();
  }

  private static F32 factor(GlobalTensor factors, AttentionTiles.Tile tile) {
    return factors.at(tile.batch().constant(0), tile.headOfKeys(), tile.batch()).load();
  }
}
