package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.AsyncStore;
import tilewright.sm90.atom.Mbarrier;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * Adds what the CTAs of a cluster have each summed along their part of k. Each CTA gets its share of the columns from
 * all, and adds in the order of the parts, so that every run has the same bits. It does so once: a CTA has one tile.
 * Where there is one part, there is nothing to add.
 */
public final class SplitSum {
  private static final int QUAD_BYTES = 16;

  private final Scope k;
  private final ClusterTiles tiles;
  private final TiledWgmma mma;
  private final int quads;
  private final I32 parts;
  private final Mbarrier landed;

  private SplitSum(Scope k, ClusterTiles tiles, TiledWgmma mma, int quads, I32 parts, Mbarrier landed) {
    this.k = k;
    this.tiles = tiles;
    this.mma = mma;
    this.quads = quads;
    this.parts = parts;
    this.landed = landed;
  }

  /**
   * Sets the memory aside; a barrier for the cluster follows.
   *
   * @param first true for one thread
   * @param groups warpgroups that have a part of the tile
   */
  public static SplitSum of(Scope k, ClusterTiles tiles, TiledWgmma mma, int groups, Pred first) {
    int splits = tiles.shape().splits();
    if (splits == 1) return new SplitSum(k, tiles, mma, 0, k.constant(0), new Mbarrier(k, k.constant(0)));
    int quads = mma.blocks() * mma.columns() / 8 / splits;
    int bytes = groups * splits * quads * WgmmaAtom.THREADS * QUAD_BYTES;
    var parts = k.sharedBytes(bytes);
    var landed = new Mbarrier(k, k.sharedBytes(Mbarrier.BYTES));
    k.when(first, () -> {
      landed.initialise(1);
      Mbarrier.publish(k);
      landed.arriveExpecting(k.constant(bytes));
    });
    return new SplitSum(k, tiles, mma, quads, parts, landed);
  }

  /** What a CTA has of the tile afterwards. */
  public TiledWgmma mma() {
    return mma.narrowed(columns());
  }

  private int columns() {
    return mma.columns() / tiles.shape().splits();
  }

  /** The first of this CTA's columns. */
  public I32 column() {
    return tiles.slice().times(columns());
  }

  /** This CTA's columns of the sum, of a warpgroup's rows. */
  public Fragment of(I32 lane, I32 group, Fragment sums) {
    int splits = tiles.shape().splits();
    if (splits == 1) return sums;
    int perBlock = quads / mma.blocks();
    for (int to = 0; to < splits; to++) {
      var rank = tiles.rankOfSlice(to);
      for (int quad = 0; quad < quads; quad++) {
        int block = quad / perBlock;
        var values = sums.group(block * perBlock * splits + to * perBlock + quad % perBlock);
        AsyncStore.quad(k, place(lane, group, tiles.slice(), quad), landed, rank, values);
      }
    }
    landed.await(k.constant(0));
    var total = Fragment.of(k, mma.sums(), quads, 4);
    for (int quad = 0; quad < quads; quad++) {
      for (int from = 0; from < splits; from++) add(total.group(quad), from, place(lane, group, k.constant(from), quad));
    }
    return total;
  }

  private I32 place(I32 lane, I32 group, I32 slice, int quad) {
    var before = group.times(tiles.shape().splits()).plus(slice).times(quads).plus(quad);
    return parts.plus(before.times(WgmmaAtom.THREADS).plus(lane).times(QUAD_BYTES));
  }

  private void add(List<Operand.Register> total, int part, I32 place) {
    var values = new ArrayList<Operand>();
    for (int i = 0; i < 4; i++) values.add(part == 0 ? total.get(i) : k.newRegister(mma.sums()));
    k.emit("ld.shared.v4.b32", new Operand.Vector(values), k.address(place));
    for (int i = 0; i < 4 && part > 0; i++) k.emit("add." + mma.sums().text(), total.get(i), total.get(i), values.get(i));
  }
}
