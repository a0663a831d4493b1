package tilewright.sm100.collective;

import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.tiled.Fragment;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.atom.TensorMemoryTile;
import tilewright.sm90.atom.BulkCopy;
import tilewright.sm90.atom.SwizzledRows;
import tilewright.sm90.collective.TensorTile;

/**
 * The epilogue C = alpha · accumulator from Tensor Memory: four warps, a row a thread, round blocks of 128 bytes of
 * columns into swizzled stages of shared memory, from where tensor copies take them while the next block goes on.
 */
public final class TensorMemoryEpilogue {
  public static final int THREADS = TensorMemory.LANES;
  private static final int WARP = 32;
  public static final int WARPS = THREADS / WARP;
  private static final int ROW_BYTES = 128;
  private static final int ACCESS_BYTES = 16;
  private static final int BARRIER = 1;

  private final Scope k;
  private final F32 alpha;
  private final TensorTile c;
  private final int tileN;
  private final int columns;
  private final int stages;

  private TensorMemoryEpilogue(Scope k, F32 alpha, TensorTile c, int tileN, int columns, int stages) {
    this.k = k;
    this.alpha = alpha;
    this.c = c;
    this.tileN = tileN;
    this.columns = columns;
    this.stages = stages;
  }

  /**
   * Sets the stages aside.
   *
   * @param spec (M,N,…) with N contiguous, of 16-bit or 32-bit elements
   */
  public static TensorMemoryEpilogue of(Scope k, F32 alpha, TensorSpec spec, int tileN, int stages) {
    int columns = Math.min(ROW_BYTES / spec.type().bytes(), Integer.lowestOneBit(tileN));
    // Blocks of all tiles go around the stages.
    int ring = tileN / columns % stages == 0 ? stages : 1;
    var layout = SwizzledRows.alongColumns(spec.type(), TensorMemory.LANES, columns, ring);
    return new TensorMemoryEpilogue(k, alpha, TensorTile.of(k, spec, layout), tileN, columns, ring);
  }

  /** C's extent. */
  public I32 extent(int mode) {
    return c.extent(mode);
  }

  /**
   * Stores the tile that begins at a row and a column.
   *
   * @param thread of the four warps
   * @param release done by one thread of each warp when the warp has read its accumulators
   */
  public void store(I32 thread, I32 warp, TensorMemoryTile sums, Runnable release, I32 row, I32 column, I32 batch) {
    var access = TensorMemoryAccess.rows(columns);
    var leader = thread.equalTo(0);
    for (int first = 0; first < tileN; first += columns) {
      var stage = k.constant(first / columns % stages);
      var values = access.fragment(k, c.shared().type() == ElementType.I32 ? PtxType.B32 : PtxType.F32);
      access.load(k, sums, warp, first, values);
      k.when(leader, () -> BulkCopy.waitForReads(k, stages - 1));
      TensorFence.waitForLoads(k);
      if (first + columns == tileN) {
        TensorFence.beforeSync(k);
        k.when(thread.modulo(WARP).equalTo(0), release);
      }
      meet();
      stage(thread, stage, values);
      BulkCopy.publish(k);
      meet();
      var place = column.plus(first);
      k.when(leader, () -> {
        c.store(k, stage, row, place, batch);
        BulkCopy.commit(k);
      });
    }
  }

  private void stage(I32 row, I32 stage, Fragment values) {
    int each = ACCESS_BYTES / c.shared().type().bytes();
    for (int column = 0; column < columns; column += each) {
      var sums = values.group(0).subList(column, column + each);
      var place = c.shared().at(row, k.constant(column), stage);
      if (place.type() == ElementType.I32) place.store(Vector.packed(k, ElementType.I32, sums));
      else place.store(sums.stream().map(sum -> alpha.times(k.result(sum))).toList());
    }
  }

  private void meet() {
    k.barrier(k.constant(BARRIER), THREADS);
  }

  /** Before the end: waits until every stage has been read. */
  public void drain(Pred leader) {
    k.when(leader, () -> BulkCopy.waitForReads(k, 0));
  }
}
