package tilewright.async.schedule;

import java.util.function.Supplier;
import tilewright.async.atom.AsyncStore;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Cluster;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.Layout;

/**
 * Adds up accumulators in distributed shared memory where the CTAs of a cluster split k between them. The CTA of the
 * first slice receives the others' accumulators and finishes the tile. The others are done with a tile once they have
 * sent theirs, and leave the SM to the next kernel early.
 *
 * <p>A thread writes to the thread of the same number in the first CTA. Each warpgroup has two barriers: the first
 * CTA's completes when all parts have landed, the others' when the first CTA has room for their parts.
 */
public final class ClusterReduction {
  private final Scope k;
  private final Cluster cluster;
  private final Accumulators accumulators;
  private final int others;
  private final SharedTensor parts;
  private final I32 barriers;

  private ClusterReduction(Cluster cluster, Accumulators accumulators, SharedTensor parts, I32 barriers) {
    this.k = cluster.k();
    this.cluster = cluster;
    this.accumulators = accumulators;
    this.others = cluster.shape().splits() - 1;
    this.parts = parts;
    this.barriers = barriers;
  }

  /**
   * Reserves shared memory and has one thread initialise the barriers; {@link Mbarrier#publish} follows.
   *
   * @param cluster of more than one slice of k
   * @param first true for that thread
   */
  public static ClusterReduction of(Cluster cluster, Accumulators accumulators, Pred first) {
    var k = cluster.k();
    int groups = accumulators.warpgroups();
    var layout = Layout.columnMajor(Accumulators.QUAD, Warpgroup.SIZE, accumulators.quads(),
        cluster.shape().splits() - 1, groups);
    var reduction = new ClusterReduction(cluster, accumulators, k.shared(accumulators.type(), layout),
        k.sharedBytes(2 * groups * Mbarrier.BYTES));
    k.when(first, () -> {
      for (int group = 0; group < groups; group++) {
        reduction.landed(k.constant(group)).initialise(1);
        reduction.room(k.constant(group)).initialise(1);
      }
    });
    return reduction;
  }

  private Mbarrier landed(I32 group) {
    return new Mbarrier(k, barriers.plus(group.times(2 * Mbarrier.BYTES)));
  }

  private Mbarrier room(I32 group) {
    return new Mbarrier(k, landed(group).place().plus(Mbarrier.BYTES));
  }

  /** Bytes that a warpgroup of the first CTA receives for a tile. */
  private int bytes() {
    return others * accumulators.quads() * Warpgroup.SIZE * Accumulators.QUAD * accumulators.type().bytes();
  }

  private Pred isFirst() {
    return cluster.slice().equalTo(0);
  }

  /** A warpgroup's part in the exchange, tile after tile. */
  Fixup fixup(I32 lane, I32 group) {
    return new Exchange(lane, group, k.variable(k.constant(0), 1));
  }

  private final class Exchange implements Fixup {
    private final I32 lane;
    private final I32 group;
    private final I32.Variable parity;

    Exchange(I32 lane, I32 group, I32.Variable parity) {
      this.lane = lane;
      this.group = group;
      this.parity = parity;
    }

    @Override
    public void complete(WorkTile tile, Output output, Supplier<Fragment> mainloop) {
      // The first CTA has read the parts of the tile before, and says that there is room.
      k.when(isFirst(), () -> {
        k.when(lane.equalTo(0), () -> landed(group).arriveExpecting(k.constant(bytes())));
        k.when(lane.lessThan(others), () -> room(group).arriveAt(cluster.rankOfSlice(lane.plus(1))));
        output.prefetch();
      });
      var sums = mainloop.get();
      k.when(isFirst(), () -> {
        landed(group).await(parity.value());
        add(sums);
        // All threads of the warpgroup meet in there: none still reads parts when the next tile begins.
        output.store(sums);
      }, () -> {
        room(group).await(parity.value());
        send(sums);
      });
      parity.set(parity.value().xor(k.constant(1)));
    }

    private void send(Fragment sums) {
      var first = cluster.rankOfSlice(k.constant(0));
      var part = cluster.slice().minus(k.constant(1));
      for (int quad = 0; quad < accumulators.quads(); quad++) {
        AsyncStore.quad(k, place(quad, part), first, sums.group(quad), landed(group));
      }
    }

    private void add(Fragment sums) {
      for (int quad = 0; quad < accumulators.quads(); quad++) {
        for (int part = 0; part < others; part++) {
          accumulators.add(k, sums.group(quad), place(quad, k.constant(part)).vector(Accumulators.QUAD).registers());
        }
      }
    }

    /** The first of four accumulators: (four, lane, quad, part, group). */
    private Element place(int quad, I32 part) {
      return parts.at(k.constant(0), lane, k.constant(quad), part, group);
    }
  }
}
