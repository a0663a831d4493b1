package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.MatrixDescriptor;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * {@code wgmma} repeated over warpgroups and over each warpgroup's rows of the C tile: group g of {@code groups} has
 * rows g·tileM/groups and on.
 */
public final class TiledWgmma {
  private static final int VALUES = 4;

  private final WgmmaAtom atom;
  private final int tileM;
  private final int tileK;
  private final int groups;
  private final MatrixDescriptor a;
  private final MatrixDescriptor b;

  private TiledWgmma(WgmmaAtom atom, int tileM, int tileK, int groups, MatrixDescriptor a, MatrixDescriptor b) {
    this.atom = atom;
    this.tileM = tileM;
    this.tileK = tileK;
    this.groups = groups;
    this.a = a;
    this.b = b;
  }

  /**
   * @param tileA (M, K, …) in shared memory
   * @param tileB (N, K, …) in shared memory
   */
  public static TiledWgmma of(ElementType operand, OffsetMap tileA, OffsetMap tileB, int groups) {
    int tileM = extent(tileA, 0);
    int tileN = extent(tileB, 0);
    int tileK = extent(tileA, 1);
    var atom = new WgmmaAtom(operand, tileN);
    if (tileM % (groups * WgmmaAtom.M) != 0) {
      throw new TraceException("tileM = " + tileM + " does not give " + groups + " warpgroups rows in blocks of "
          + WgmmaAtom.M);
    }
    if (tileK != extent(tileB, 1) || tileK % atom.depth() != 0) {
      throw new TraceException("tiles " + tileA + " and " + tileB + " do not share a multiple of " + atom.depth()
          + " along k");
    }
    return new TiledWgmma(atom, tileM, tileK, groups, MatrixDescriptor.of(operand, tileA, WgmmaAtom.M),
        MatrixDescriptor.of(operand, tileB, tileN));
  }

  private static int extent(OffsetMap tile, int mode) {
    return Math.toIntExact(tile.shape().mode(mode).size());
  }

  private int rows() {
    return tileM / groups;
  }

  /** Blocks of 64 rows that a warpgroup has. */
  int blocks() {
    return rows() / WgmmaAtom.M;
  }

  /** K of the tile. */
  int depth() {
    return tileK;
  }

  /** Columns of the tile. */
  int columns() {
    return atom.columns();
  }

  /** Which elements of so many columns of a block a thread of a warpgroup has. */
  Partition partition(int columns) {
    return new WgmmaAtom(atom.operand(), columns).partition();
  }

  /** The first row of a warpgroup's block. */
  I32 row(I32 group, int block) {
    return group.times(rows()).plus(block * WgmmaAtom.M);
  }

  /** Accumulators of a thread, in groups of four, zero. */
  public Fragment accumulators(Scope k) {
    var fragment = Fragment.of(k, PtxType.F32, blocks() * atom.registers() / VALUES, VALUES);
    fragment.clear(k, PtxType.F32);
    return fragment;
  }

  /** Accumulates a stage of both tiles and leaves the multiplications under way, as one group. */
  public void multiply(Scope k, I32 group, SharedTensor tileA, SharedTensor tileB, I32 stage, Fragment accumulators) {
    WgmmaAtom.fence(k);
    issue(k, group, tileA, stage, tileB, stage, accumulators, true);
    WgmmaAtom.commit(k);
  }

  /**
   * Begins the multiplications of a stage of each tile; a fence comes before, and a commit follows.
   *
   * @param add whether to add to the accumulators; else they are replaced
   */
  public void issue(Scope k, I32 group, SharedTensor tileA, I32 stageA, SharedTensor tileB, I32 stageB,
      Fragment accumulators, boolean add) {
    var zero = k.constant(0);
    int perBlock = atom.registers() / VALUES;
    for (int slice = 0; slice < tileK; slice += atom.depth()) {
      var rowsB = b.register(k, tileB, zero, k.constant(slice), stageB);
      for (int block = 0; block < blocks(); block++) {
        var rowsA = a.register(k, tileA, row(group, block), k.constant(slice), stageA);
        var sums = new ArrayList<>(accumulators.groups().subList(block * perBlock, (block + 1) * perBlock).stream()
            .flatMap(List::stream).toList());
        atom.multiply(k, rowsA, a, rowsB, b, sums, add || slice > 0);
      }
    }
  }
}
