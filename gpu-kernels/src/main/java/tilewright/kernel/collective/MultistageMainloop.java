package tilewright.kernel.collective;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernel.tiled.TiledMma;

/**
 * The SM80 main loop: {@code stages} tiles of shared memory in a ring, filled by copies {@code stages} − 1 tiles ahead
 * of the multiplication, and two sets of registers, so that each k-slice is loaded while the one before it is
 * multiplied. With one stage a tile is copied, then multiplied.
 *
 * @param tileK k extent of a tile
 * @param writtenB tileB as the copies see it, which may order its rows differently
 */
public record MultistageMainloop(int stages, int tileK, TiledCopy copyA, TiledCopy copyB, SharedTensor tileA,
    SharedTensor tileB, SharedTensor writtenB, TiledMma mma) {
  public MultistageMainloop {
    if (stages < 1) throw new TraceException("a ring of " + stages + " stages holds no tile: 1 or more");
    if (stages > 1 && mma.slices() % 2 != 0) {
      throw new TraceException("tileK = " + tileK + " gives an odd number of slices for two register sets: use a "
          + "multiple of " + 2 * tileK / mma.slices());
    }
  }

  /** Accumulates A·Bᵀ over all of k. */
  public Fragment run(Scope k, I32 thread, GlobalTensor a, GlobalTensor b, I32 extentK) {
    var accumulators = mma.accumulators(k);
    if (stages > 1) runAhead(k, thread, a, b, extentK, accumulators);
    else runInTurn(k, thread, a, b, extentK, accumulators);
    return accumulators;
  }

  private void runInTurn(Scope k, I32 thread, GlobalTensor a, GlobalTensor b, I32 extentK, Fragment accumulators) {
    var zero = k.constant(0);
    var fragmentA = mma.fragmentA(k);
    var fragmentB = mma.fragmentB(k);
    var tiles = extentK.ceilDiv(tileK);
    k.loop(tiles, tile -> {
      // Every thread has read the tile before.
      k.barrier();
      fill(k, thread, a, b, tile, tiles, zero);
      CpAsync.waitFor(k, 0);
      k.barrier();
      for (int slice = 0; slice < mma.slices(); slice++) {
        loadSlice(k, thread, zero, slice, fragmentA, fragmentB);
        mma.multiply(k, fragmentA, fragmentB, accumulators);
      }
    });
  }

  private void runAhead(Scope k, I32 thread, GlobalTensor a, GlobalTensor b, I32 extentK, Fragment accumulators) {
    var fragmentsA = new Fragment[] {mma.fragmentA(k), mma.fragmentA(k)};
    var fragmentsB = new Fragment[] {mma.fragmentB(k), mma.fragmentB(k)};
    var zero = k.constant(0);

    var tiles = extentK.ceilDiv(tileK);
    for (int i = 0; i < stages - 1; i++) fill(k, thread, a, b, k.constant(i), tiles, k.constant(i));
    awaitStage(k);
    loadSlice(k, thread, zero, 0, fragmentsA[0], fragmentsB[0]);

    var reading = k.variable(zero, stages - 1);
    var writing = k.variable(k.constant(stages - 1), stages - 1);
    int slices = mma.slices();
    k.loop(tiles, tile -> {
      for (int slice = 0; slice < slices; slice++) {
        if (slice == slices - 1) {
          awaitStage(k);
          // Behind the last tile there may be a stage that nothing was ever copied to.
          if (whole(a, b)) k.when(tile.plus(1).lessThan(tiles), () -> advance(reading));
          else advance(reading);
        }
        int next = (slice + 1) % slices;
        loadSlice(k, thread, reading.value(), next, fragmentsA[next % 2], fragmentsB[next % 2]);
        if (slice == 0) {
          fill(k, thread, a, b, tile.plus(stages - 1), tiles, writing.value());
          advance(writing);
        }
        mma.multiply(k, fragmentsA[slice % 2], fragmentsB[slice % 2], accumulators);
      }
    });
  }

  /** Whether k is known to be made of whole tiles, so that nothing is left to be filled up with zeros. */
  private static boolean whole(GlobalTensor a, GlobalTensor b) {
    return a.covers(1) && b.covers(1);
  }

  /** Starts the copies of one tile; past the end of k they write zeros, or nothing. */
  private void fill(Scope k, I32 thread, GlobalTensor a, GlobalTensor b, I32 tile, I32 tiles, I32 stage) {
    var zero = k.constant(0);
    var there = whole(a, b) ? tile.lessThan(tiles) : Pred.known(k, true);
    copyA.where(there).copy(thread, a.from(zero, tile.times(tileK), zero), tileA, stage, zero);
    copyB.where(there).copy(thread, b.from(zero, tile.times(tileK), zero), writtenB, stage, zero);
    CpAsync.commit(k);
  }

  /** The oldest stage has landed for every thread, and every thread is done with the stage before it. */
  private void awaitStage(Scope k) {
    CpAsync.waitFor(k, stages - 2);
    k.barrier();
  }

  private void loadSlice(Scope k, I32 thread, I32 stage, int slice, Fragment a, Fragment b) {
    mma.loadA(k, thread, tileA, stage, slice, a);
    mma.loadB(k, thread, tileB, stage, slice, b);
  }

  private void advance(I32.Variable stage) {
    var next = stage.value().plus(1);
    stage.set(next.where(stage.value().lessThan(stages - 1), 0));
  }
}
