package tilewright.kernel.collective;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.layout.Layout;

/**
 * Tiles of A (M,K) and B (K,N), rows contiguous in both, in shared memory (rows, columns, stages), filled as many steps
 * along k ahead of their use as there are stages but one. With one stage nothing is ahead. Where rows are not
 * contiguous in shared memory, copies of one element transpose the tile.
 */
public final class TileRing {
  /** The smallest access to global memory. */
  private static final int SECTOR_BYTES = 32;

  private final Scope k;
  private final I32 thread;
  private final Operand a;
  private final Operand b;
  private final int vector;
  private final int stages;
  private final int tileK;

  /** One operand: where it comes from, where its tiles lie, and how they get there. */
  private record Operand(GlobalTensor source, SharedTensor tiles, TiledCopy copy) {}

  /**
   * @param threads of the block
   * @param vector elements of one copy: 4, 8 or 16 bytes by {@code cp.async}, or 1 of fewer bytes through a register
   * @param a from the block's first row on
   * @param b from the block's first column on
   */
  public TileRing(Scope k, I32 thread, int threads, int vector, GlobalTensor a, SharedTensor tilesA, GlobalTensor b,
      SharedTensor tilesB) {
    this.k = k;
    this.thread = thread;
    this.a = new Operand(a, tilesA, copy(k, threads, vector, tilesA));
    this.b = new Operand(b, tilesB, copy(k, threads, vector, tilesB));
    this.vector = vector;
    this.stages = extent(tilesA, 2);
    this.tileK = extent(tilesA, 1);
  }

  private static int extent(SharedTensor tiles, int mode) {
    return Math.toIntExact(tiles.layout().shape().mode(mode).size());
  }

  private static TiledCopy copy(Scope k, int threads, int vector, SharedTensor tiles) {
    int bytes = tiles.type().bytes();
    boolean transposes = tiles.layout() instanceof Layout layout && layout.mode(1).flatStride()[0] != 1;
    int elements = transposes ? 1 : vector;
    CopyAtom atom = elements * bytes < 4 ? new ElementCopy() : new CpAsync(k, elements, bytes);
    // Few neighbours along rows leave a warp many rows to spread over banks.
    int most = transposes ? SECTOR_BYTES / bytes : threads;
    int along = Math.max(threads / extent(tiles, 0), Math.min(extent(tiles, 1) / elements, most));
    return TiledCopy.rowMajor(atom, threads, along);
  }

  /** The work of a thread on a tile, slice by slice along k, with two sets of registers in turn. */
  public interface Slices {
    /** The number of slices of a tile: an even one, so that the sets take turns. */
    int count();

    /** Reads a slice of the tile in that stage into a set. */
    void load(I32 stage, int slice, int set);

    /** Multiplies what a set holds. */
    void multiply(int set);
  }

  /** Multiplies every tile along k; what lies beyond the tensors is zero. */
  public void run(I32 extentK, Slices slices) {
    if (slices.count() % 2 != 0) {
      throw new TraceException("a tile of " + slices.count() + " slices along k leaves two sets of registers uneven: "
          + "use an even number");
    }
    // Single elements have so many addresses that no registers are left to read ahead.
    if (stages > 1 && vector > 1) runAhead(extentK, slices);
    else runInTurn(extentK, slices);
  }

  private void runInTurn(I32 extentK, Slices slices) {
    int ahead = stages - 1;
    for (int stage = 0; stage < ahead; stage++) fill(k.constant(stage), k.constant(stage));
    var reading = k.variable(k.constant(0), ahead);
    var writing = k.variable(k.constant(ahead), ahead);
    k.loop(extentK.ceilDiv(tileK), tile -> {
      if (ahead == 0) fill(tile, k.constant(0));
      CpAsync.waitFor(k, Math.max(0, ahead - 1));
      k.barrier();
      // The stage that was read last is free, because every thread has passed the barrier.
      if (ahead > 0) fill(tile.plus(ahead), writing.value());
      for (int slice = 0; slice < slices.count(); slice++) {
        slices.load(reading.value(), slice, slice % 2);
        slices.multiply(slice % 2);
      }
      if (ahead == 0) k.barrier();
      advance(writing);
      advance(reading);
    });
  }

  /** Each slice is read while the one before is multiplied, from one tile to the next as well. */
  private void runAhead(I32 extentK, Slices slices) {
    int ahead = stages - 1;
    var zero = k.constant(0);
    for (int stage = 0; stage < ahead; stage++) fill(k.constant(stage), k.constant(stage));
    awaitNext();
    slices.load(zero, 0, 0);
    var reading = k.variable(zero, ahead);
    var writing = k.variable(k.constant(ahead), ahead);
    k.loop(extentK.ceilDiv(tileK), tile -> {
      for (int slice = 0; slice < slices.count(); slice++) {
        int next = (slice + 1) % slices.count();
        if (next == 0) {
          awaitNext();
          advance(reading);
        }
        slices.load(reading.value(), next, next % 2);
        if (slice == 0) {
          fill(tile.plus(ahead), writing.value());
          advance(writing);
        }
        slices.multiply(slice % 2);
      }
    });
  }

  /** The oldest stage has landed for every thread, and every thread has read all of the stage before it. */
  private void awaitNext() {
    CpAsync.waitFor(k, stages - 2);
    k.barrier();
  }

  private void advance(I32.Variable stage) {
    stage.set(stage.value().plus(1).where(stage.value().lessThan(stages - 1), 0));
  }

  private void fill(I32 tile, I32 stage) {
    var zero = k.constant(0);
    a.copy.copy(thread, a.source.from(zero, tile.times(tileK)), a.tiles, stage);
    b.copy.copy(thread, b.source.from(tile.times(tileK), zero), b.tiles, stage);
    CpAsync.commit(k);
  }
}
