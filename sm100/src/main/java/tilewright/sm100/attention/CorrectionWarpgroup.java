package tilewright.sm100.attention;

import java.util.ArrayList;
import java.util.Collections;
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
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.collective.Signals;
import tilewright.sm100.collective.WarpSync;

/**
 * The warpgroup that rescales O where a row's maximum has grown, and at the end divides its rows by their sums and
 * stages them in shared memory. A thread has one row of each tile.
 */
final class CorrectionWarpgroup {
  private static final int TILES = Sm100AttentionConfig.TILES;
  /** Columns that a thread rescales at a time: few, so that it needs few registers. */
  private static final int COLUMNS = 16;
  private static final int ACCESS = 8;
  /** Four scales of type ue8m0 that are one: 127, the bias of their exponent. */
  private static final int ONES = 0x7F7F7F7F;

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
  private final List<Signals.Waiter> statsFull;
  private final List<Signals.Waiter> oFull;
  private final List<Signals.Waiter> stagingEmpty;

  /**
   * @param o the stages of both tiles' output
   * @param lse where the rows' logarithms go, if they are stored
   * @param thread its number in the warpgroup
   */
  CorrectionWarpgroup(Scope k, AttentionWork work, AttentionMemory memory, AttentionSignals signals, RowFactors factors,
      SharedTensor o, Optional<GlobalTensor> lse, I32 thread, I32 warp) {
    this.k = k;
    this.work = work;
    coordinates = work.config().coordinates(k);
    this.memory = memory;
    this.signals = signals;
    this.factors = factors;
    this.o = o;
    this.lse = lse;
    this.thread = thread;
    this.warp = warp;
    statsFull = tiles(i -> signals.statsFull().waiter(k.constant(i)));
    oFull = tiles(i -> signals.oFull().waiter(k.constant(i)));
    stagingEmpty = tiles(i -> signals.stagingEmpty().waiterButFirst(k.constant(i)));
  }

  private static List<Signals.Waiter> tiles(IntFunction<Signals.Waiter> waiter) {
    return IntStream.range(0, TILES).mapToObj(waiter).toList();
  }

  /** Stores the scale of P, which is one; the first {@code pFull} says that it is in place. */
  void storeScaleOfP() {
    var ones = k.constant(ONES).register();
    TensorMemoryAccess.rows(ScaleCopy.COLUMNS).store(k, memory.scalesOfP(k), warp, 0,
        new Fragment(List.of(Collections.nCopies(ScaleCopy.COLUMNS, ones))));
    TensorFence.waitForStores(k);
  }

  void correct(Tile tile) {
    k.loop(work.blocks(tile).count(), place -> {
      for (int i = 0; i < TILES; i++) {
        int which = i;
        var factor = receive(i);
        TensorFence.afterSync(k);
        // The first block overwrites O: there is nothing to rescale.
        k.when(k.constant(0).lessThan(place), () ->
            k.when(Shuffle.any(k, factor.lessThan(k.constant(1f))), () -> rescale(which, factor)));
        TensorFence.beforeSync(k);
        WarpSync.arrive(k, thread, signals.pFull().of(k.constant(i)));
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

  /** Receives the next statistic of this thread's row from the softmax warpgroup. */
  private F32 receive(int tile) {
    statsFull.get(tile).await();
    var factor = factors.load(k.constant(tile), thread);
    factor.register();
    WarpSync.arrive(k, thread, signals.statsEmpty().of(k.constant(tile)));
    return factor;
  }

  private void rescale(int tile, F32 factor) {
    var output = memory.output(k.constant(tile));
    for (int column = 0; column < output.columns(); column += COLUMNS) {
      var values = access.fragment(k, PtxType.F32);
      access.load(k, output, warp, column, values);
      TensorFence.waitForLoads(k);
      var scaled = scaled(values, factor).stream().map(F32::register).toList();
      access.store(k, output, warp, column, new Fragment(List.of(scaled)));
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

  /** Divides a tile's rows by their sums and stages them in shared memory. */
  private void finish(int tile, F32 inverse) {
    var output = memory.output(k.constant(tile));
    oFull.get(tile).await();
    TensorFence.afterSync(k);
    stagingEmpty.get(tile).await();
    for (int column = 0; column < output.columns(); column += COLUMNS) {
      var values = access.fragment(k, PtxType.F32);
      access.load(k, output, warp, column, values);
      TensorFence.waitForLoads(k);
      stage(tile, column, scaled(values, inverse));
    }
    BulkCopy.publish(k);
    WarpSync.arrive(k, thread, signals.stagingFull().of(k.constant(tile)));
  }

  private void stage(int tile, int column, List<F32> values) {
    for (int i = 0; i < COLUMNS; i += ACCESS) {
      o.at(thread, k.constant(column + i), k.constant(tile)).store(values.subList(i, i + ACCESS));
    }
  }
}
