package tilewright.sm90.collective;

import java.util.Optional;
import tilewright.async.atom.AsyncStore;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.ClusterTiles;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.I32Variable;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;

/**
 * Adds what the CTAs of a cluster have each summed along their part of k. The first CTA gets the others' sums and adds
 * them in the order of the parts, so that every run has the same bits. The others are done with a tile once they have
 * sent theirs, and leave the multiprocessor to the next kernel early. Where k is not split, there is nothing to add.
 *
 * <p>Threads write to the thread of the same number in the first CTA. Each warpgroup has two barriers: one, the first
 * CTA's, completes when all parts have landed, the other, the others', when the first has room for their parts.
 */
public final class SplitSum {
  private static final int QUAD = 4;

  private final Scope k;
  private final ClusterTiles tiles;
  private final TiledWgmma mma;
  private final int others;
  private final int quads;
  private final Optional<SharedTensor> parts;
  private final I32 barriers;

  private SplitSum(Scope k, ClusterTiles tiles, TiledWgmma mma, int groups) {
    this.k = k;
    this.tiles = tiles;
    this.mma = mma;
    others = tiles.shape().splits() - 1;
    quads = mma.blocks() * mma.columns() / (2 * QUAD);
    var layout = Layout.columnMajor(QUAD, Warpgroup.SIZE, quads, Math.max(1, others), groups);
    parts = Optional.of(layout).filter(_ -> others > 0).map(all -> k.shared(type(), all));
    barriers = others == 0 ? k.constant(0) : k.sharedBytes(2 * groups * Mbarrier.BYTES);
  }

  /**
   * Sets memory aside and has one thread initialise the barriers; {@link Mbarrier#publish} follows.
   *
   * @param groups warpgroups that have sums
   * @param first true for that thread
   */
  public static SplitSum of(Scope k, ClusterTiles tiles, TiledWgmma mma, int groups, Pred first) {
    var split = new SplitSum(k, tiles, mma, groups);
    if (split.others == 0) return split;
    k.when(first, () -> {
      for (int group = 0; group < groups; group++) {
        split.landed(k.constant(group)).initialise(1);
        split.room(k.constant(group)).initialise(1);
      }
    });
    return split;
  }

  private Mbarrier landed(I32 group) {
    return new Mbarrier(k, barriers.plus(group.times(2 * Mbarrier.BYTES)));
  }

  private Mbarrier room(I32 group) {
    return new Mbarrier(k, landed(group).place().plus(Mbarrier.BYTES));
  }

  /** Of all parts that a warpgroup of the first CTA gets. */
  private int bytes() {
    return others * quads * Warpgroup.SIZE * QUAD * type().bytes();
  }

  private ElementType type() {
    return mma.sums() == PtxType.F32 ? ElementType.F32 : ElementType.I32;
  }

  private Pred isFirst() {
    return tiles.slice().equalTo(0);
  }

  /** A warpgroup's part in the exchange, tile after tile. */
  public Exchange exchange() {
    return new Exchange();
  }

  /** A warpgroup's part in the exchange. */
  public final class Exchange {
    private final I32Variable parity = k.variable(k.constant(0), 1);

    private Exchange() {}

    /**
     * Before a tile: the first CTA has read the parts of the tile before, and says that there is room.
     *
     * @param prepare what it does besides for the tile that it will store
     */
    public void begin(I32 lane, I32 group, Runnable prepare) {
      if (others == 0) {
        prepare.run();
        return;
      }
      k.when(isFirst(), () -> {
        k.when(lane.equalTo(0), () -> landed(group).arriveExpecting(k.constant(bytes())));
        k.when(lane.lessThan(others), () -> room(group).arriveAt(tiles.rankOfSlice(lane.plus(1))));
        prepare.run();
      });
    }

    /**
     * Brings the parts of a tile together in the first CTA.
     *
     * @param store what is done there when the sums have become those of the whole tile; all of the warpgroup's
     *     threads meet in it, so that none still reads parts when the next tile begins
     */
    public void gather(I32 lane, I32 group, Fragment sums, Runnable store) {
      if (others == 0) {
        store.run();
        return;
      }
      k.when(isFirst(), () -> {
        landed(group).await(parity.value());
        add(lane, group, sums);
        store.run();
      }, () -> {
        room(group).await(parity.value());
        send(lane, group, sums);
      });
      parity.set(parity.value().xor(k.constant(1)));
    }
  }

  private void send(I32 lane, I32 group, Fragment sums) {
    var first = tiles.rankOfSlice(k.constant(0));
    var part = tiles.slice().minus(k.constant(1));
    for (int quad = 0; quad < quads; quad++) {
      AsyncStore.quad(k, place(lane, quad, part, group), first, sums.group(quad), landed(group));
    }
  }

  private void add(I32 lane, I32 group, Fragment sums) {
    for (int quad = 0; quad < quads; quad++) {
      for (int part = 0; part < others; part++) {
        var values = place(lane, quad, k.constant(part), group).vector(QUAD).registers();
        for (int i = 0; i < QUAD; i++) {
          var sum = sums.group(quad).get(i);
          k.emit(mma.sums() == PtxType.F32 ? "add.f32" : "add.s32", sum, sum, values.get(i));
        }
      }
    }
  }

  /** The first of four sums: (four, lane, quad, part, group). */
  private Element place(I32 lane, int quad, I32 part, I32 group) {
    return parts.orElseThrow().at(k.constant(0), lane, k.constant(quad), part, group);
  }
}
