package tilewright.sm100.collective;

import java.util.List;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.collective.TensorTile;
import tilewright.async.schedule.TileGrid;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.Warp;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.epilogue.DirectMatrices;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueTrace;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.atom.TensorMemoryTile;

/**
 * An epilogue from Tensor Memory: four warps, a row per thread, round blocks of 128 bytes of columns into swizzled
 * stages of shared memory, from where tensor copies take them while the next block goes on. What else the tree reads
 * and writes goes through threads.
 */
public final class TensorMemoryEpilogue {
  public static final int THREADS = TensorMemory.LANES;
  public static final int WARPS = THREADS / Warp.SIZE;
  private static final int ROW_BYTES = 128;
  private static final int ACCESS_BYTES = 16;
  private static final int BARRIER = 1;
  private static final int MOST_COLUMNS = 32;

  private final Scope k;
  private final EpilogueTrace trace;
  private final DirectMatrices matrices;
  private final TensorTile d;
  private final Partition partition;
  private final int tileN;
  private final int columns;
  private final int stages;

  private TensorMemoryEpilogue(Scope k, EpilogueTrace trace, DirectMatrices matrices, TensorTile d, int tileN,
      int columns, int stages) {
    this.k = k;
    this.trace = trace;
    this.matrices = matrices;
    this.d = d;
    this.partition = Partition.exact(Layout.of(Layout.of(THREADS, 1), Layout.of(tileN, THREADS)), THREADS, tileN);
    this.tileN = tileN;
    this.columns = columns;
    this.stages = stages;
  }

  /**
   * Declares what the tree reads and writes, and sets the stages aside.
   *
   * @param neighbours along n that are read at once: 2 where N is even, else 1
   * @param spec of D (M,N,L) with N contiguous
   */
  public static TensorMemoryEpilogue of(Scope k, Epilogue tree, int neighbours, TensorSpec spec, int tileN,
      int stages) {
    int columns = Math.min(ROW_BYTES / spec.type().bytes(), Integer.lowestOneBit(tileN));
    // Blocks of all tiles go around the stages.
    int ring = tileN / columns % stages == 0 ? stages : 1;
    var layout = SwizzledRows.alongColumns(spec.type(), TensorMemory.LANES, columns, ring);
    return new TensorMemoryEpilogue(k, EpilogueTrace.of(k, tree, neighbours), DirectMatrices.of(k, tree, neighbours),
        TensorTile.of(k, spec, layout), tileN, columns, ring);
  }

  /** D's extents. */
  public TileGrid.Extents extents() {
    return new TileGrid.Extents(extent(0), extent(1), extent(2));
  }

  private I32 extent(int mode) {
    return d.extent(mode);
  }

  /**
   * Applies the epilogue to a tile and stores it.
   *
   * @param thread its number among those of the four warps
   * @param release done by one thread of each warp when the warp has read its accumulators
   */
  public void store(I32 thread, I32 warp, TensorMemoryTile sums, Runnable release, WorkTile work) {
    var row = work.m();
    var column = work.n();
    var batch = work.batch();
    var leader = thread.equalTo(0);
    var place = new EpilogueTrace.Place(row, column, batch, extent(0), extent(1));
    var tile = trace.tile(partition, thread, place, matrices.at(partition, thread, place));
    for (int first = 0; first < tileN; first += columns) {
      var stage = k.constant(first / columns % stages);
      k.when(leader, () -> BulkCopy.waitForReads(k, stages - 1));
      meet();
      for (int piece = 0; piece < columns; piece += read()) {
        var values = load(thread, warp, sums, first + piece, release);
        stage(thread, stage, piece, values, tile, first + piece);
      }
      tile.finishColumns();
      BulkCopy.publish(k);
      meet();
      var from = column.plus(first);
      k.when(leader, () -> {
        d.store(k, stage, row, from, batch);
        BulkCopy.commit(k);
      });
    }
    tile.finish();
  }

  /** Columns that are read at once: more would leave too few registers for the tree. */
  private int read() {
    return Math.min(columns, MOST_COLUMNS);
  }

  private Fragment load(I32 thread, I32 warp, TensorMemoryTile sums, int first, Runnable release) {
    var access = TensorMemoryAccess.rows(read());
    var values = access.fragment(k, d.shared().type() == ElementType.I32 ? PtxType.B32 : PtxType.F32);
    access.load(k, sums, warp, first, values);
    TensorFence.waitForLoads(k);
    if (first + read() == tileN) {
      TensorFence.beforeSync(k);
      k.when(thread.modulo(Warp.SIZE).equalTo(0), release);
    }
    return values;
  }

  private void stage(I32 row, I32 stage, int at, Fragment values, EpilogueTrace.Tile tile, int first) {
    int each = ACCESS_BYTES / d.shared().type().bytes();
    for (int column = 0; column < read(); column += each) {
      var sums = values.group(0).subList(column, column + each);
      var place = d.shared().at(row, k.constant(at + column), stage);
      if (place.type() == ElementType.I32) {
        place.store(Vector.packed(k, ElementType.I32, sums));
      } else {
        var results = List.copyOf(tile.values(first + column, sums.stream().map(k::result).toList()));
        results.forEach(F32::register);
        place.store(results);
      }
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
