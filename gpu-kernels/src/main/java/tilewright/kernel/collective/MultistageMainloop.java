package tilewright.kernel.collective;

import java.util.Optional;
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
 * @param scales of the operands' blocks, where they have any
 */
public record MultistageMainloop(int stages, int tileK, TiledCopy copyA, TiledCopy copyB, SharedTensor tileA,
    SharedTensor tileB, SharedTensor writtenB, TiledMma mma, Optional<StageScales> scales) {

  /** A k-slice's operands in registers. */
  private record Slice(Fragment a, Fragment b, Optional<Fragment> scales) {}

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
    var registers = registers(k);
    var tiles = extentK.ceilDiv(tileK);
    k.loop(tiles, tile -> {
      // Every thread has read the tile before.
      k.barrier();
      fill(k, thread, a, b, tile, tiles, zero);
      CpAsync.waitFor(k, 0);
      k.barrier();
      for (int slice = 0; slice < mma.slices(); slice++) {
        loadSlice(k, thread, zero, slice, registers);
        multiply(k, slice, registers, accumulators);
      }
    });
  }

  private void runAhead(Scope k, I32 thread, GlobalTensor a, GlobalTensor b, I32 extentK, Fragment accumulators) {
    var registers = new Slice[] {registers(k), registers(k)};
    var zero = k.constant(0);

    var tiles = extentK.ceilDiv(tileK);
    for (int i = 0; i < stages - 1; i++) fill(k, thread, a, b, k.constant(i), tiles, k.constant(i));
    awaitStage(k);
    loadSlice(k, thread, zero, 0, registers[0]);

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
        loadSlice(k, thread, reading.value(), next, registers[next % 2]);
        if (slice == 0) {
          fill(k, thread, a, b, tile.plus(stages - 1), tiles, writing.value());
          advance(writing);
        }
        multiply(k, slice, registers[slice % 2], accumulators);
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
    scales.ifPresent(all -> all.copy(k, thread, tile, stage, tile.lessThan(tiles)));
    CpAsync.commit(k);
  }

  /** The oldest stage has landed for every thread, and every thread is done with the stage before it. */
  private void awaitStage(Scope k) {
    CpAsync.waitFor(k, stages - 2);
    k.barrier();
  }

  private Slice registers(Scope k) {
    return new Slice(mma.fragmentA(k), mma.fragmentB(k), scales.map(all -> all.fragment(k)));
  }

  private void loadSlice(Scope k, I32 thread, I32 stage, int slice, Slice into) {
    mma.loadA(k, thread, tileA, stage, slice, into.a);
    mma.loadB(k, thread, tileB, stage, slice, into.b);
    scales.ifPresent(all -> all.load(k, thread, stage, slice, into.scales.orElseThrow()));
  }

  private void multiply(Scope k, int slice, Slice operands, Fragment accumulators) {
    scales.ifPresentOrElse(all -> mma.multiply(k, operands.a, operands.b, accumulators,
        all.by(slice, operands.scales.orElseThrow())), () -> mma.multiply(k, operands.a, operands.b, accumulators));
  }

  private void advance(I32.Variable stage) {
    var next = stage.value().plus(1);
    stage.set(next.where(stage.value().lessThan(stages - 1), 0));
  }
}
