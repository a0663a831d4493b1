package tilewright.kernels.attention.backward;

import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.tiled.SwizzledTile;

/**
 * The tiles in shared memory, each also as its transpose: the same bytes under another layout.
 *
 * @param q (queries, D, stages)
 * @param dO (queries, Dv, stages)
 * @param key (keys, D, 1), and dK in the end
 * @param value (keys, Dv, 1), and dV in the end
 * @param p (queries, keys, 1); likewise {@code dS}
 */
record Sm80BackwardTiles(SharedTensor q, SharedTensor dO, SharedTensor key, SharedTensor value, SharedTensor p,
    SharedTensor dS) {

  static Sm80BackwardTiles of(Scope k, Sm80BackwardConfig config) {
    var s = config.shape();
    return new Sm80BackwardTiles(tile(k, config, s.tileM(), s.tileD(), s.stages()),
        tile(k, config, s.tileM(), s.tileDv(), s.stages()), tile(k, config, s.tileN(), s.tileD(), 1),
        tile(k, config, s.tileN(), s.tileDv(), 1), tile(k, config, s.tileM(), s.tileN(), 1),
        tile(k, config, s.tileM(), s.tileN(), 1));
  }

  private static SharedTensor tile(Scope k, Sm80BackwardConfig config, int rows, int columns, int stages) {
    return k.shared(config.type(), SwizzledTile.alongColumns(rows, columns, stages));
  }

  /** A tile (rows, columns, stages) as (columns, rows, stages). */
  static SharedTensor transposed(SharedTensor tile) {
    var shape = tile.layout().shape();
    return tile.as(SwizzledTile.alongRows(extent(shape.mode(1).size()), extent(shape.mode(0).size()),
        extent(shape.mode(2).size())));
  }

  private static int extent(long size) {
    return Math.toIntExact(size);
  }
}
