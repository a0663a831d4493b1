package tilewright.kernel.collective;

import java.util.function.Consumer;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * The tile of a matrix that a CTA computes. A GEMM's tiles come in bands of {@code band} tile rows, so that CTAs that
 * run together share rows of A and columns of B in L2.
 *
 * @param m the tile's row
 * @param n the tile's column
 * @param batch the batch entry
 */
public record OutputTile(I32 m, I32 n, I32 batch) {

  /**
   * The one tile of this CTA, of {@code tilesM} × {@code tilesN} in each batch entry; a launch has a CTA per tile in x,
   * and a batch in z. Where there is no tile, the kernel ends here for the one CTA that a launch has all the same.
   */
  public static OutputTile banded(Scope k, I32 tilesM, I32 tilesN, I32 batch, int band) {
    k.leave(tilesM.times(tilesN).times(batch).lessThan(1));
    return banded(k.blockX(), tilesM, tilesN, band, k.blockZ());
  }

  /** The tile of a product without a batch. */
  public static OutputTile banded(Scope k, I32 tilesM, I32 tilesN, int band) {
    return banded(k, tilesM, tilesN, k.constant(1), band);
  }

  /** The one tile of this CTA, the {@code tilesN} of a row after one another; a launch has a CTA per tile in x. */
  public static OutputTile byRows(Scope k, I32 tilesN) {
    return new OutputTile(k.blockX().dividedBy(tilesN), k.blockX().modulo(tilesN), k.constant(0));
  }

  /** All tiles of this worker, one after the other: those of the whole batch go around the workers. */
  public static void persistent(Scope k, I32 worker, I32 workers, I32 tilesM, I32 tilesN, I32 batch, int band,
      Consumer<OutputTile> body) {
    k.loop(worker, tilesM.times(tilesN).times(batch), workers,
        tile -> body.accept(numbered(tile, tilesM, tilesN, band)));
  }

  /** The tile of that number among those of the whole batch. */
  public static OutputTile numbered(I32 tile, I32 tilesM, I32 tilesN, int band) {
    var perEntry = tilesM.times(tilesN);
    return banded(tile.modulo(perEntry), tilesM, tilesN, band, tile.dividedBy(perEntry));
  }

  /** The tile of a number in a batch entry. */
  public static OutputTile banded(I32 index, I32 tilesM, I32 tilesN, int band, I32 batch) {
    var perBand = tilesN.times(band);
    var inBand = index.modulo(perBand);
    var firstRow = index.dividedBy(perBand).times(band);
    var height = tilesM.minus(firstRow).min(band);
    return new OutputTile(firstRow.plus(inBand.modulo(height)), inBand.dividedBy(height), batch);
  }
}
