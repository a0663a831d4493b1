package tilewright.sm90.ladder;

import java.util.Optional;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Cluster;
import tilewright.async.collective.ClusterShape;
import tilewright.async.collective.OrderedSequence;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.async.schedule.PersistentTiles;
import tilewright.async.schedule.TileGrid;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.sm90.collective.OperandStages;
import tilewright.sm90.collective.TiledWgmma;
import tilewright.sm90.collective.WgmmaMainloop;

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
    var cluster = Cluster.of(k, new ClusterShape(this.cluster, 1, 1));
    var a = TensorTile.of(k, Tile.operand("A", "M"), Tile.layout(rows(), STAGES));
    var b = TensorTile.shared(k, Tile.operand("B", "N"), Tile.layout(Tile.N, STAGES), this.cluster);
    var c = Tile.of(k);
    var mma = TiledWgmma.of(Tile.TYPE, Tile.layout(rows(), STAGES), Tile.layout(Tile.N, STAGES), consumers);
    var operands = new OperandStages(k, a, b, 1, mma, cluster, Optional.empty(), Optional.empty());
    var mainloop = new WgmmaMainloop(operands);
    var extents = new TileGrid.Extents(c.extent(0), c.extent(1), c.extent(2));
    var tiles = PersistentTiles.strided(
        new TileGrid(cluster, rows(), Tile.N, Tile.BAND / consumers, extents), operands.range(0));
    var ring = Pipeline.of(k, STAGES, thread.equalTo(0), consumers, cluster);
    cluster.meetPublished();

    var lane = thread.modulo(Warpgroup.SIZE);
    var group = Shuffle.first(k, thread.dividedBy(Warpgroup.SIZE), consumers);
    k.when(group.equalTo(consumers), () -> {
      if (consumers > 1) RegisterBudget.shrink(k, 40);
      k.when(lane.equalTo(0), () -> {
        var stage = ring.producer();
        tiles.forEach(tile -> operands.load(stage, tile));
        stage.finish();
      });
    }, () -> {
      if (consumers > 1) RegisterBudget.grow(k, 232);
      var consumer = mainloop.consumer(ring, OrderedSequence.alone(k), operands.range(0), group, lane);
      tiles.forEach(tile -> {
        var accumulators = consumer.accumulate(tile.k());
        c.store(lane, accumulators, tile.m().plus(group.times(Tile.M)), tile.n(), tile.batch());
      });
    });
  }
}
