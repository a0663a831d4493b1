package tilewright.sm100.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tilewright.async.atom.BulkCopy;
import tilewright.async.attention.TileCoordinates;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.F32x2;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.collective.Signals;

/**
 * The warpgroup that keeps O right while the softmax goes on: multiplies its rows where a maximum has grown, and at the
 * end divides them by the sums of their weights and puts them into shared memory. A thread has a row of each tile.
 */
final class Correction {
  private static final int TILES = Sm100AttentionConfig.TILES;
  /** Few, so that a thread needs few registers. */
  private static final int COLUMNS = 16;
  private static final int ACCESS = 8;

  private final Scope k;
  private final AttentionWork work;
  private final TileCoordinates coordinates;
  private final AttentionMemory memory;
  private final AttentionSignals signals;
  private final RowFactors factors;
  private final SharedTensor o;
  private final Optional<GlobalTensor> lse;
  private final I32 thread;
  private final I32 warp;
  private final TensorMemoryAccess access = TensorMemoryAccess.rows(COLUMNS);
  private final List<Signals.Waiter> sent;
  private final List<Signals.Waiter> summed;
  private final List<Signals.Waiter> stored;

  /**
   * @param o the stages of both tiles' output
   * @param lse where rows' logarithms go, if anywhere
   * @param thread of the warpgroup
   */
  Correction(Scope k, AttentionWork work, AttentionMemory memory, AttentionSignals signals, RowFactors factors,
      SharedTensor o, Optional<GlobalTensor> lse, I32 thread, I32 warp) {
    this.k = k;
    this.work = work;
    coordinates = new TileCoordinates(k, work.config().packed());
    this.memory = memory;
    this.signals = signals;
    this.factors = factors;
    this.o = o;
    this.lse = lse;
    this.thread = thread;
    this.warp = warp;
    sent = tiles(i -> signals.factors().waiter(k.constant(i)));
    summed = tiles(i -> signals.summed().waiter(k.constant(i)));
    stored = tiles(i -> signals.stored().waiterButFirst(k.constant(i)));
  }

  private static List<Signals.Waiter> tiles(IntFunction<Signals.Waiter> waiter) {
    return IntStream.range(0, TILES).mapToObj(waiter).toList();
  }

  void correct(Tile tile) {
    k.loop(work.blocks(tile).count(), place -> {
      for (int i = 0; i < TILES; i++) {
        int which = i;
        var factor = receive(i);
        TensorFence.afterSync(k);
        // The first block's product replaces what O was.
        k.when(k.constant(0).lessThan(place), () ->
            k.when(Shuffle.any(k, factor.lessThan(k.constant(1f))), () -> rescale(which, factor)));
        TensorFence.beforeSync(k);
        WarpSync.arrive(k, thread, signals.weighed().of(k.constant(i)));
      }
    });
    for (int i = 0; i < TILES; i++) {
      finish(i, receive(i));
      int which = i;
      lse.ifPresent(tensor -> {
        var log = receive(which);
        var query = tile.query().plus(which * Sm100AttentionConfig.ROWS).plus(thread);
        var place = work.logarithms(tensor, tile).at(query, tile.head(), coordinates.entry(tile));
        k.when(place.inside(), () -> place.store(log));
      });
    }
  }

  /** What the softmax has to say of this thread's row. */
  private F32 receive(int tile) {
    sent.get(tile).await();
    var factor = factors.load(k.constant(tile), thread);
    factor.register();
    WarpSync.arrive(k, thread, signals.taken().of(k.constant(tile)));
    return factor;
  }

  private void rescale(int tile, F32 factor) {
    var sums = memory.sums(k.constant(tile));
    for (int column = 0; column < sums.columns(); column += COLUMNS) {
      var values = access.fragment(k, PtxType.F32);
      access.load(k, sums, warp, column, values);
      TensorFence.waitForLoads(k);
      var scaled = scaled(values, factor).stream().map(F32::register).toList();
      access.store(k, sums, warp, column, new Fragment(List.of(scaled)));
    }
    TensorFence.waitForStores(k);
  }

  private List<F32> scaled(Fragment values, F32 factor) {
    var both = F32x2.of(k, factor, factor);
    var registers = values.group(0);
    var scaled = new ArrayList<F32>();
    for (int i = 0; i < registers.size(); i += 2) {
      scaled.addAll(F32x2.of(k, registers.get(i), registers.get(i + 1)).times(both).singles());
    }
    return scaled;
  }

  /** Puts a tile's rows, divided by the sums of their weights, into shared memory. */
  private void finish(int tile, F32 inverse) {
    var sums = memory.sums(k.constant(tile));
    summed.get(tile).await();
    TensorFence.afterSync(k);
    stored.get(tile).await();
    for (int column = 0; column < sums.columns(); column += COLUMNS) {
      var values = access.fragment(k, PtxType.F32);
      access.load(k, sums, warp, column, values);
      TensorFence.waitForLoads(k);
      stage(tile, column, scaled(values, inverse));
    }
    BulkCopy.publish(k);
    WarpSync.arrive(k, thread, signals.staged().of(k.constant(tile)));
  }

  private void stage(int tile, int column, List<F32> values) {
    for (int i = 0; i < COLUMNS; i += ACCESS) {
      o.at(thread, k.constant(column + i), k.constant(tile)).store(values.subList(i, i + ACCESS));
    }
  }
}
