package tilewright.sm90.ladder;

import java.util.Optional;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.ClusterShape;
import tilewright.async.collective.ClusterTiles;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.sm90.collective.Mainloop;
import tilewright.sm90.collective.TiledWgmma;

/**
 * Steps 7 to 9: a warpgroup of its own copies, others only multiply, each 64 rows of the tile.
 *
 * @param consumers warpgroups that multiply
 * @param cluster CTAs, one above the other, that load B's tile for each other
 */
record WarpRolesGemm(int consumers, int cluster) implements Kernel {
  private static final int STAGES = 4;

  int rows() {
    return consumers * Tile.M;
  }

  @Override
  public String name() {
    return "ladder_warp_roles_" + consumers + "_" + cluster;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Warpgroup.SIZE * (consumers + 1));
    k.blocksPerMultiprocessor(1);
    var tiles = ClusterTiles.of(k, new ClusterShape(cluster, 1, 1), rows(), Tile.N, Tile.BAND / consumers);
    var a = TensorTile.of(k, Tile.operand("A", "M"), Tile.layout(rows(), STAGES));
    var b = TensorTile.shared(k, Tile.operand("B", "N"), Tile.layout(Tile.N, STAGES), cluster);
    var c = Tile.of(k);
    var mma = TiledWgmma.of(Tile.TYPE, Tile.layout(rows(), STAGES), Tile.layout(Tile.N, STAGES), consumers);
    var mainloop = new Mainloop(k, a, b, mma, tiles, Optional.empty(), 0);
    var ring = Pipeline.of(k, STAGES, thread.equalTo(0), consumers, tiles);
    tiles.meet();

    var lane = thread.modulo(Warpgroup.SIZE);
    var group = Shuffle.first(k, thread.dividedBy(Warpgroup.SIZE), consumers);
    k.when(group.equalTo(consumers), () -> {
      if (consumers > 1) RegisterBudget.shrink(k, 40);
      k.when(lane.equalTo(0), () -> tiles.forEach(c.extent(0), c.extent(1), c.extent(2),
          (m, n, batch) -> mainloop.produce(ring.producer(), m, n, batch)));
    }, () -> {
      if (consumers > 1) RegisterBudget.grow(k, 232);
      tiles.forEach(c.extent(0), c.extent(1), c.extent(2), (m, n, batch) -> {
        var sums = mainloop.consume(mainloop.place(ring), group, lane);
        c.store(lane, sums, m.plus(group.times(Tile.M)), n, batch);
      });
    });
    tiles.part();
  }
}
