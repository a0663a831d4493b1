package tilewright.sm100.collective;

import tilewright.async.collective.ClusterTiles;
import tilewright.kernel.Pred;

/** Tiles that clusters take turns in, as many as the launch has. */
public record StaticTiles(ClusterTiles tiles, Extents extents) implements TileWork {

  @Override
  public void forEach(ClusterTiles.Body body) {
    tiles.forEach(extents.m(), extents.n(), extents.batch(), body);
  }

  @Override
  public void forEachOfWarp(Pred first, ClusterTiles.Body body) {
    forEach(body);
  }

  @Override
  public void schedule() {}
}
