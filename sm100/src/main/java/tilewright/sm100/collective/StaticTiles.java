package tilewright.sm100.collective;

import tilewright.kernel.Pred;
import tilewright.sm90.collective.ClusterTiles;

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
