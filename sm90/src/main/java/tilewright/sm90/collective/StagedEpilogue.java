package tilewright.sm90.collective;

import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.tiled.Fragment;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.BulkCopy;
import tilewright.sm90.atom.SwizzledRows;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The epilogue C = alpha · accumulator by way of shared memory: each warpgroup rounds a block of 64 rows and 128 bytes
 * of columns into a swizzled stage, from where a tensor copy takes it while the next block, or the next tile, goes on.
 */
public final class StagedEpilogue {
  private static final int ROW_BYTES = 128;

  private final Scope k;
  private final F32 alpha;
  private final TensorTile c;
  private final int columns;
  private final int stages;

  private StagedEpilogue(Scope k, F32 alpha, TensorTile c, int columns, int stages) {
    this.k = k;
    this.alpha = alpha;
    this.c = c;
    this.columns = columns;
    this.stages = stages;
  }

  /**
   * Sets the stages aside.
   *
   * @param spec (M,N,…) with N contiguous, of 16-bit or 32-bit elements
   * @param stages of each warpgroup
   */
  public static StagedEpilogue of(Scope k, F32 alpha, TensorSpec spec, int groups, int stages) {
    int columns = ROW_BYTES / spec.type().bytes();
    var c = TensorTile.of(k, spec, SwizzledRows.alongColumns(spec.type(), WgmmaAtom.M, columns, groups * stages));
    return new StagedEpilogue(k, alpha, c, columns, stages);
  }

  /** C's extent. */
  public I32 extent(int mode) {
    return c.extent(mode);
  }

  /**
   * Stores a warpgroup's rows of the tile that begins at a row and a column.
   *
   * @param lane the thread's number in its warpgroup
   */
  public void store(I32 lane, I32 group, TiledWgmma mma, Fragment sums, I32 row, I32 column, I32... rest) {
    int perBlock = sums.groups().size() / mma.blocks();
    int turns = mma.blocks() * (mma.columns() / columns);
    for (int block = 0; block < mma.blocks(); block++) {
      for (int first = 0; first < mma.columns(); first += columns) {
        int turn = block * (mma.columns() / columns) + first / columns;
        var stage = group.times(stages).plus(turn % stages);
        int quad = block * perBlock + first / 8 * 2 * WgmmaAtom.M / WgmmaAtom.THREADS;
        k.when(lane.equalTo(0), () -> BulkCopy.waitForReads(k, pending(turn, turns)));
        storeBlock(mma.partition(columns), lane, group, stage, sums, quad,
            place(row.plus(mma.row(group, block)), column.plus(first), rest));
      }
    }
  }

  /** The copies that may still be under way when a turn's stage is written: those since it was last read. */
  private int pending(int turn, int turns) {
    if (turn >= stages) return stages - 1;
    int previous = turn + (turns - 1 - turn) / stages * stages;
    return turns - 1 - previous + turn;
  }

  private static I32[] place(I32 row, I32 column, I32[] rest) {
    var place = new I32[2 + rest.length];
    place[0] = row;
    place[1] = column;
    System.arraycopy(rest, 0, place, 2, rest.length);
    return place;
  }

  private void storeBlock(Partition partition, I32 lane, I32 group, I32 stage, Fragment sums, int quad, I32[] where) {
    meet(group);
    for (int value = 0; value < partition.values(); value += 2) {
      var at = partition.coordinate(lane, value);
      var pair = sums.group(quad + value / 4).subList(value % 4, value % 4 + 2);
      var place = c.shared().at(at[0], at[1], stage);
      if (place.type() == ElementType.I32) place.store(Vector.packed(k, ElementType.I32, pair));
      else place.store(alpha.times(k.result(pair.get(0))), alpha.times(k.result(pair.get(1))));
    }
    BulkCopy.publish(k);
    meet(group);
    k.when(lane.equalTo(0), () -> {
      c.store(k, stage, where);
      BulkCopy.commit(k);
    });
  }

  private void meet(I32 group) {
    k.barrier(group.plus(1), WgmmaAtom.THREADS);
  }

  /** Before the end: waits until every stage has been read. */
  public void drain(Pred leader) {
    k.when(leader, () -> BulkCopy.waitForReads(k, 0));
  }
}
