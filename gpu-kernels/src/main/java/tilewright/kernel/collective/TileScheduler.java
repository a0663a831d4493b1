package tilewright.kernel.collective;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * Which tile of C a CTA computes: one tile a CTA, in bands of {@code band} tile rows, so that CTAs that run together
 * share rows of A and columns of B in L2. The launch gives one CTA a tile in x and one batch entry in z.
 *
 * @param m the tile's row
 * @param n the tile's column
 * @param batch the batch entry
 */
public record TileScheduler(I32 m, I32 n, I32 batch) {

  /** The tile of this CTA, of {@code tilesM} × {@code tilesN}. */
  public static TileScheduler banded(Scope k, I32 tilesM, I32 tilesN, int band) {
    var index = k.blockX();
    var perBand = tilesN.times(band);
    var inBand = index.modulo(perBand);
    var firstRow = index.dividedBy(perBand).times(band);
    var height = tilesM.minus(firstRow).min(band);
    return new TileScheduler(firstRow.plus(inBand.modulo(height)), inBand.dividedBy(height), k.blockZ());
  }
}
