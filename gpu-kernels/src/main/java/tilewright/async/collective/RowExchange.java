package tilewright.async.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.async.atom.AsyncStore;
import tilewright.async.atom.Mbarrier;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Tuples that all warps of a cluster combine, row after row, without a barrier of threads: each warp sends its own to
 * every block, by {@code st.async} where there are several, and reads all of them rows later.
 */
public final class RowExchange {
  private final Scope k;
  private final int warps;
  private final int blocks;
  private final int width;
  /** Numbers of a tuple in shared memory. */
  private final int stored;
  private final SharedTensor tuples;
  private final I32 barriers;
  private final RingPlace sending;
  private final RingPlace receiving;

  /** How two tuples become one, each of so many values; commutative. */
  public interface Merge {
    List<F32> of(int each, List<F32> a, List<F32> b);
  }

  /**
   * Sets the ring aside and has one thread initialise it, which then publishes it, as {@link Pipeline#of} does. A
   * barrier for all threads of the cluster follows.
   *
   * @param warps of a block that take part, a power of two
   * @param blocks of the cluster, a power of two
   * @param width numbers of a tuple: 1 to 4; three are stored as four, since vectors have 1, 2 or 4
   * @param places of the ring: a warp sends a row's tuple only when all warps have read that so many rows before
   */
  public RowExchange(Scope k, Pred first, int warps, int blocks, int width, int places) {
    this.k = k;
    this.warps = warps;
    this.blocks = blocks;
    this.width = width;
    this.stored = width == 3 ? 4 : width;
    this.tuples = k.shared(ElementType.F32, Layout.columnMajor(stored, warps * blocks, places));
    this.barriers = k.sharedBytes(places * Mbarrier.BYTES);
    this.sending = new RingPlace(k, places);
    this.receiving = new RingPlace(k, places);
    k.when(first, () -> {
      for (int place = 0; place < places; place++) barrier(k.constant(place)).initialise(blocks == 1 ? warps : 1);
    });
  }

  private Mbarrier barrier(I32 place) {
    return new Mbarrier(k, barriers.plus(place.times(Mbarrier.BYTES)));
  }

  /** Merges the lanes' tuples, each of {@code each} values, and sends the warp's to every block. */
  public void send(I32 rank, I32 warp, I32 lane, int each, List<F32> tuple, Merge merge) {
    var mine = padded(butterflies(Warp.SIZE, each, tuple, merge));
    var place = tuples.at(k.constant(0), rank.times(warps).plus(warp), sending.number());
    var landed = barrier(sending.number());
    if (blocks == 1) {
      k.when(lane.equalTo(0), () -> {
        place.store(mine);
        landed.arrive();
      });
    } else {
      k.when(warp.equalTo(0).and(lane.equalTo(0)), () ->
          landed.arriveExpecting(k.constant(warps * blocks * stored * Float.BYTES)));
      k.when(lane.lessThan(blocks), () -> AsyncStore.store(k, place, lane, mine, landed));
    }
    sending.advance();
  }

  /** Waits for the tuples of the oldest row not yet read; merged, each of {@code each} values, in every thread. */
  public List<F32> receive(I32 lane, int each, Merge merge) {
    barrier(receiving.number()).await(receiving.parity());
    int count = warps * blocks;
    var read = new ArrayList<List<F32>>();
    for (int i = 0; i < Math.max(1, count / Warp.SIZE); i++) {
      var number = count < Warp.SIZE ? lane.modulo(count) : lane.plus(i * Warp.SIZE);
      read.add(tuples.at(k.constant(0), number, receiving.number()).load(stored).subList(0, width));
    }
    receiving.advance();
    int values = each;
    while (read.size() > 1) {
      var merged = new ArrayList<List<F32>>();
      for (int i = 0; i < read.size(); i += 2) merged.add(merge.of(values, read.get(i), read.get(i + 1)));
      read.clear();
      read.addAll(merged);
      values *= 2;
    }
    return butterflies(Math.min(Warp.SIZE, count), values, read.getFirst(), merge);
  }

  private List<F32> padded(List<F32> tuple) {
    var numbers = new ArrayList<>(tuple);
    while (numbers.size() < stored) numbers.add(k.constant(0f));
    return numbers;
  }

  private List<F32> butterflies(int lanes, int each, List<F32> tuple, Merge merge) {
    var result = tuple;
    int values = each;
    for (int mask = 1; mask < lanes; mask *= 2) {
      var others = new ArrayList<F32>();
      for (var value : result) others.add(Shuffle.butterfly(k, value, mask));
      result = merge.of(values, result, others);
      values *= 2;
    }
    return result;
  }
}
