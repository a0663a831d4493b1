package tilewright.sm100.attention;

import tilewright.kernel.I32;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;

/**
 * The layout of Tensor Memory: S of both tiles, then O of both. P takes the last columns of its S, which has
 * been read by then; a column holds two or four elements of P.
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
}
