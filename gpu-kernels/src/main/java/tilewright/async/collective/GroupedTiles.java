package tilewright.async.collective;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.collective.TileScheduler;

/** The tiles of C where not all are of the same B, or not all are computed (DeepGEMM, m-grouped layouts). */
public interface GroupedTiles {

  /** What is done for the tile that begins at a row and a column of a batch entry, whose B is that of a group. */
  public interface Body {
    void accept(I32 m, I32 n, I32 batch, I32 group);
  }

  /** Goes through the tiles of a C of these extents, every so many-th from one on. */
  void forEach(I32 turn, int turns, I32 extentM, I32 extentN, I32 batch, Body body);

  /** All tiles, each with the B of its batch entry. */
  static GroupedTiles batch(ClusterTiles tiles) {
    return (turn, turns, extentM, extentN, batch, body) -> tiles.forEach(turn, turns, extentM, extentN, batch,
        (m, n, entry) -> body.accept(m, n, entry, entry));
  }

  /**
   * The groups' rows one after the other.
   *
   * @param group of each tile row, negative where it has none
   */
  static GroupedTiles contiguous(ClusterTiles tiles, GlobalTensor group) {
    requireOneRow(tiles);
    return (turn, turns, extentM, extentN, batch, body) -> tiles.forEach(turn, turns, extentM, extentN, batch,
        (m, n, entry) -> {
          var of = group.at(m.dividedBy(tiles.tileM())).loadInteger();
          tiles.k().when(of.atLeast(0), () -> body.accept(m, n, entry, of));
        });
  }

  /**
   * A batch entry for each group; tiles that lie behind its rows are left out before they are shared out.
   *
   * @param rows of each group
   */
  static GroupedTiles masked(ClusterTiles tiles, GlobalTensor rows) {
    requireOneRow(tiles);
    return (turn, turns, extentM, extentN, batch, body) -> {
      if (turns != 1) throw new TraceException("consumers that take turns cannot have masked groups");
      forEachUnmasked(tiles, rows, extentM, extentN, batch, body);
    };
  }

  private static void requireOneRow(ClusterTiles tiles) {
    if (tiles.shape().m() == 1) return;
    throw new TraceException("tiles of a cluster of " + tiles.shape()
        + " lie one below the other and may be of different groups: use a cluster along n");
  }

  private static void forEachUnmasked(ClusterTiles tiles, GlobalTensor rows, I32 extentM, I32 extentN, I32 batch,
      Body body) {
    Scope k = tiles.k();
    var clusters = k.gridX().dividedBy(tiles.shape().blocks());
    var columns = extentN.ceilDiv(tiles.shape().n() * tiles.tileN());
    // The first tile of the next group that is this cluster's, counted in that group.
    var next = k.variable(k.blockX().dividedBy(tiles.shape().blocks()), Integer.MAX_VALUE);
    k.loop(batch, group -> {
      var height = rows.at(group).loadInteger().max(0).min(extentM).ceilDiv(tiles.tileM());
      var count = height.times(columns);
      var first = next.value();
      k.loop(first, count, clusters, tile -> {
        var place = TileScheduler.banded(tile, height, columns, tiles.band(), group);
        tiles.at(place, body);
      });
      var mine = count.minus(first).max(0).plus(clusters).plus(-1).dividedBy(clusters);
      next.set(first.plus(mine.times(clusters)).minus(count));
    });
  }
}
