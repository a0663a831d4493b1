package tilewright.sm100.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;

/**
 * The layout of Tensor Memory: S of both tiles, then O of both. P takes the last columns of its S, which has
 * been read by then; a column holds two or four elements of P. Scales take columns that S or O of their tile leaves.
 */
record AttentionMemory(TensorMemory memory, Sm100AttentionConfig config) {
  private static final int TILES = Sm100AttentionConfig.TILES;
  private static final int EACH = TensorMemory.COLUMNS / 2 / TILES;

  TensorMemoryTile scores(I32 tile) {
    return memory.columns(0, TILES * EACH).stage(tile, TILES).part(0, config.shape().keys());
  }

  TensorMemoryTile probabilities(I32 tile) {
    int columns = config.columnsOfP(config.shape().keys());
    return scores(tile).part(config.shape().keys() - columns, columns);
  }

  TensorMemoryTile output(I32 tile) {
    return memory.columns(TILES * EACH, TILES * EACH).stage(tile, TILES).part(0, config.shape().valueDim());
  }

  /** The scales of a tile of Q, of 128 columns of the head. */
  TensorMemoryTile scalesOfQ(I32 tile, int part) {
    return spare(tile).part(part * ScaleCopy.COLUMNS, ScaleCopy.COLUMNS);
  }

  /** The scales of K, of 128 columns of the head. */
  TensorMemoryTile scalesOfK(Scope k, int part) {
    return spare(k.constant(0)).part((config.scaleTiles() + part) * ScaleCopy.COLUMNS, ScaleCopy.COLUMNS);
  }

  TensorMemoryTile scalesOfV(Scope k) {
    return spare(k.constant(1)).part(config.scaleTiles() * ScaleCopy.COLUMNS, ScaleCopy.COLUMNS);
  }

  /** The scales of P, which are one. */
  TensorMemoryTile scalesOfP(Scope k) {
    return spare(k.constant(1)).part((config.scaleTiles() + 1) * ScaleCopy.COLUMNS, ScaleCopy.COLUMNS);
  }

  /** The columns behind a tile's S, or behind its O where S leaves none. */
  private TensorMemoryTile spare(I32 tile) {
    boolean behindScores = config.shape().keys() < EACH;
    int used = behindScores ? config.shape().keys() : config.shape().valueDim();
    if (used == EACH) {
      throw new TraceException("blocks of " + config.shape().keys() + " keys and values of " + used + " columns leave "
          + "no columns of Tensor Memory for scales: take blocks of 64 keys");
    }
    return memory.columns(behindScores ? 0 : TILES * EACH, TILES * EACH).stage(tile, TILES).part(used, EACH - used);
  }
}
