package tilewright.sm100.collective;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.layout.OffsetMap;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.atom.TensorMemoryTile;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.atom.UmmaDescriptor;

/** {@code tcgen05.mma} repeated along k over a stage of both factors' tiles. */
public final class TiledUmma {
  private final UmmaAtom atom;
  private final int depth;
  private final UmmaDescriptor a;
  private final UmmaDescriptor b;

  private TiledUmma(UmmaAtom atom, int depth, UmmaDescriptor a, UmmaDescriptor b) {
    this.atom = atom;
    this.depth = depth;
    this.a = a;
    this.b = b;
  }

  /**
   * @param tileA (rows of A in one CTA, K, …) in shared memory
   * @param tileB (rows of B in one CTA, K, …) in shared memory
   */
  public static TiledUmma of(UmmaAtom atom, OffsetMap tileA, OffsetMap tileB) {
    require(extent(tileA, 0) == atom.rows(), "A's tile " + tileA + " has not the " + atom.rows() + " rows of " + atom);
    require(extent(tileB, 0) == atom.columnsEach(),
        "B's tile " + tileB + " has not the " + atom.columnsEach() + " rows of " + atom);
    int depth = extent(tileA, 1);
    require(depth == extent(tileB, 1) && depth % atom.depth() == 0,
        "tiles " + tileA + " and " + tileB + " do not share a multiple of " + atom.depth() + " along k");
    return new TiledUmma(atom, depth, UmmaDescriptor.of(atom.a().container(), tileA, atom.rows()),
        UmmaDescriptor.of(atom.b().container(), tileB, atom.columnsEach()));
  }

  private static void require(boolean condition, String message) {
    if (!condition) throw new TraceException(message);
  }

  private static int extent(OffsetMap tile, int mode) {
    return Math.toIntExact(tile.shape().mode(mode).size());
  }

  public UmmaAtom atom() {
    return atom;
  }

  /** K of a stage. */
  public int depth() {
    return depth;
  }

  /** One thread multiplies a stage of both tiles into D; {@code more} is false where D shall not be added. */
  public void multiply(Scope k, TensorMemoryTile d, SharedTensor tileA, SharedTensor tileB, I32 stage, Pred more) {
    multiply(k, d, tileA, stage, tileB, stage, more);
  }

  /** Multiplies tiles whose stages have numbers of their own. */
  public void multiply(Scope k, TensorMemoryTile d, SharedTensor tileA, I32 stageA, SharedTensor tileB, I32 stageB,
      Pred more) {
    var zero = k.constant(0);
    for (int slice = 0; slice < depth; slice += atom.depth()) {
      var at = k.constant(slice);
      atom.multiply(k, d, a.register(k, tileA, zero, at, stageA), a, b.register(k, tileB, zero, at, stageB), b,
          slice == 0 ? more : zero.equalTo(0));
    }
  }

  /** The columns of Tensor Memory that hold the scales of a tile of four along k. */
  public interface Scales {
    TensorMemoryTile of(int tile);
  }

  /** Multiplies tiles with scales, which are in Tensor Memory already; stages have numbers of their own. */
  public void multiplyScaled(Scope k, TensorMemoryTile d, SharedTensor tileA, I32 stageA, SharedTensor tileB,
      I32 stageB, Scales scalesA, Scales scalesB, Pred more) {
    var zero = k.constant(0);
    int perSlice = atom.depth() * atom.kind().perContainer() / atom.kind().block();
    for (int slice = 0; slice < depth; slice += atom.depth()) {
      var at = k.constant(slice);
      int scale = slice / atom.depth() * perSlice;
      int tile = scale / ScaleCopy.SCALES;
      var first = k.constant(scale % ScaleCopy.SCALES);
      var left = atom.deep() ? a.divided(k, tileA, slice, stageA) : a.register(k, tileA, zero, at, stageA);
      var right = atom.deep() ? b.divided(k, tileB, slice, stageB) : b.register(k, tileB, zero, at, stageB);
      atom.multiplyScaled(k, d, left, a, right, b,
          new UmmaAtom.Scales(scalesA.of(tile), first), new UmmaAtom.Scales(scalesB.of(tile), first),
          slice == 0 ? more : zero.equalTo(0));
    }
  }
}
