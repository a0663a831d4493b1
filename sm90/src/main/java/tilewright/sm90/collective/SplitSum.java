package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.I32;
import tilewright.kernel.I32Variable;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.AsyncStore;
import tilewright.sm90.atom.Mbarrier;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * Adds what the CTAs of a cluster have each summed along their part of k. Each CTA gets its share of the columns from
 * all, and adds in the order of the parts, so that every run has the same bits. Where k is not split, there is nothing
 * to add.
 *
 * <p>Threads write to the thread of the same number in the other CTAs. Each warpgroup has two barriers: one completes
 * when all parts have landed, the other when all CTAs have read theirs.
 */
public final class SplitSum {
  private static final int QUAD = 4;
  private static final int QUAD_BYTES = 16;
  private static final int WARP = 32;

  private final Scope k;
  private final ClusterTiles tiles;
  private final TiledWgmma mma;
  private final int splits;
  private final int quads;
  private final I32 parts;
  private final I32 barriers;

  private SplitSum(Scope k, ClusterTiles tiles, TiledWgmma mma, int groups) {
    this.k = k;
    this.tiles = tiles;
    this.mma = mma;
    splits = tiles.shape().splits();
    quads = mma.blocks() * columns() / (2 * QUAD);
    parts = splits == 1 ? k.constant(0) : k.sharedBytes(groups * bytes());
    barriers = splits == 1 ? k.constant(0) : k.sharedBytes(2 * groups * Mbarrier.BYTES);
  }

  /**
   * Sets memory aside and has one thread initialise the barriers; {@link Mbarrier#publish} follows.
   *
   * @param groups warpgroups that have sums
   * @param first true for that thread
   */
  public static SplitSum of(Scope k, ClusterTiles tiles, TiledWgmma mma, int groups, Pred first) {
    var split = new SplitSum(k, tiles, mma, groups);
    if (split.splits == 1) return split;
    k.when(first, () -> {
      for (int group = 0; group < groups; group++) {
        split.landed(k.constant(group)).initialise(1);
        split.read(k.constant(group)).initialise(split.splits * WgmmaAtom.THREADS / WARP);
      }
    });
    return split;
  }

  private Mbarrier landed(I32 group) {
    return new Mbarrier(k, barriers.plus(group.times(2 * Mbarrier.BYTES)));
  }

  private Mbarrier read(I32 group) {
    return new Mbarrier(k, landed(group).place().plus(Mbarrier.BYTES));
  }

  /** Of all parts that a warpgroup gets. */
  private int bytes() {
    return splits * quads * WgmmaAtom.THREADS * QUAD_BYTES;
  }

  private int columns() {
    return mma.columns() / splits;
  }

  /** What a CTA has of the tile afterwards. */
  public TiledWgmma mma() {
    return mma.narrowed(columns());
  }

  /** The first of this CTA's columns. */
  public I32 column() {
    return tiles.slice().times(columns());
  }

  /** A warpgroup's part in the exchange, tile after tile. */
  public Exchange exchange() {
    return new Exchange();
  }

  /** A warpgroup's part in the exchange. */
  public final class Exchange {
    private final I32Variable parity = k.variable(k.constant(0), 1);

    private Exchange() {}

    /** This CTA's columns of the sum, of a warpgroup's rows. */
    public Fragment sum(I32 lane, I32 group, Fragment sums) {
      if (splits == 1) return sums;
      k.when(lane.equalTo(0), () -> landed(group).arriveExpecting(k.constant(bytes())));
      read(group).await(parity.value().xor(k.constant(1)));
      send(lane, group, sums);
      landed(group).await(parity.value());
      var total = add(lane, group);
      parity.set(parity.value().xor(k.constant(1)));
      k.emit("bar.warp.sync", new Operand.Integer(-1));
      k.when(lane.modulo(WARP).lessThan(splits), () -> read(group).arriveAt(tiles.rankOfSlice(lane.modulo(WARP))));
      return total;
    }

    /** At the end: waits until no other CTA has anything more to write or to signal here. */
    public void finish(I32 group) {
      if (splits > 1) read(group).await(parity.value().xor(k.constant(1)));
    }
  }

  private void send(I32 lane, I32 group, Fragment sums) {
    int perBlock = quads / mma.blocks();
    for (int to = 0; to < splits; to++) {
      var rank = tiles.rankOfSlice(k.constant(to));
      for (int quad = 0; quad < quads; quad++) {
        var values = sums.group((quad / perBlock * splits + to) * perBlock + quad % perBlock);
        AsyncStore.quad(k, place(lane, group, tiles.slice(), quad), landed(group), rank, values);
      }
    }
  }

  private Fragment add(I32 lane, I32 group) {
    var total = Fragment.of(k, mma.sums(), quads, QUAD);
    for (int quad = 0; quad < quads; quad++) {
      for (int part = 0; part < splits; part++) {
        add(total.group(quad), part, place(lane, group, k.constant(part), quad));
      }
    }
    return total;
  }

  private I32 place(I32 lane, I32 group, I32 slice, int quad) {
    var before = group.times(splits).plus(slice).times(quads).plus(quad);
    return parts.plus(before.times(WgmmaAtom.THREADS).plus(lane).times(QUAD_BYTES));
  }

  private void add(List<Operand.Register> total, int part, I32 place) {
    var values = new ArrayList<Operand>();
    for (int i = 0; i < QUAD; i++) values.add(part == 0 ? total.get(i) : k.newRegister(mma.sums()));
    k.emit("ld.shared.v4.b32", new Operand.Vector(values), k.address(place));
    for (int i = 0; i < QUAD && part > 0; i++) {
      k.emit("add." + mma.sums().text(), total.get(i), total.get(i), values.get(i));
    }
  }
}
