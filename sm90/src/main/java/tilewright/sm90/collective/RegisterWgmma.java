package tilewright.sm90.collective;

import java.util.List;
import tilewright.async.atom.MatrixDescriptor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.WgmmaAtom;

/** {@code wgmma} repeated along k, with 64 rows of A in a warpgroup's registers and B's tile in shared memory. */
public final class RegisterWgmma {
  private static final int VALUES = 4;

  private final WgmmaAtom atom;
  private final int depth;
  private final MatrixDescriptor b;

  private RegisterWgmma(WgmmaAtom atom, int depth, MatrixDescriptor b) {
    this.atom = atom;
    this.depth = depth;
    this.b = b;
  }

  /**
   * @param tileB (N, K, …) in shared memory
   */
  public static RegisterWgmma of(ElementType operand, OffsetMap tileB) {
    return of(operand, operand, tileB);
  }

  /** Like {@link #of(ElementType, OffsetMap)}, with A of another 8-bit type than B. */
  public static RegisterWgmma of(ElementType a, ElementType operand, OffsetMap tileB) {
    int columns = Math.toIntExact(tileB.shape().mode(0).size());
    int depth = Math.toIntExact(tileB.shape().mode(1).size());
    var atom = new WgmmaAtom(a, operand, columns);
    if (depth % atom.depth() != 0) {
      throw new TraceException("tile " + tileB + " has no multiple of " + atom.depth() + " along k");
    }
    return new RegisterWgmma(atom, depth, MatrixDescriptor.of(operand, tileB, columns));
  }

  public WgmmaAtom atom() {
    return atom;
  }

  /** Instructions along k. */
  public int slices() {
    return depth / atom.depth();
  }

  /** Accumulators of a thread, in groups of four, undefined. */
  public Fragment accumulators(Scope k) {
    return Fragment.of(k, PtxType.F32, atom.registers() / VALUES, VALUES);
  }

  /**
   * Begins the multiplications with a stage of B; a fence comes before, and a commit follows.
   *
   * @param a registers of each slice
   * @param add whether to add to the accumulators; else they are replaced
   */
  public void issue(Scope k, List<List<Operand.Register>> a, SharedTensor tileB, I32 stage, Fragment accumulators,
      boolean add) {
    var sums = accumulators.registers();
    for (int slice = 0; slice < slices(); slice++) {
      var rowsB = b.register(k, tileB, k.constant(0), k.constant(slice * atom.depth()), stage);
      atom.multiply(k, a.get(slice), rowsB, b, sums, add || slice > 0);
    }
  }
}
