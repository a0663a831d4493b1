package tilewright.sm100.collective;

import java.util.List;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.layout.OffsetMap;
import tilewright.sm100.atom.TensorMemoryTile;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.atom.UmmaDescriptor;

/** {@code tcgen05.mma} repeated along k, with A in Tensor Memory and a stage of B's tile in shared memory. */
public final class TensorMemoryUmma {
  private static final int COLUMN_BYTES = 4;

  private final UmmaAtom atom;
  private final UmmaDescriptor b;

  private TensorMemoryUmma(UmmaAtom atom, UmmaDescriptor b) {
    this.atom = atom;
    this.b = b;
  }

  /**
   * @param tileB (N, K, …) in shared memory
   */
  public static TensorMemoryUmma of(UmmaAtom atom, OffsetMap tileB) {
    int columns = Math.toIntExact(tileB.shape().mode(0).size());
    if (columns != atom.columnsEach()) {
      throw new TraceException("B's tile " + tileB + " has not the " + atom.columnsEach() + " rows of " + atom);
    }
    return new TensorMemoryUmma(atom, UmmaDescriptor.of(atom.b().container(), tileB, columns));
  }

  /**
   * One thread multiplies the part of A and B from {@code first} to before {@code end} along k.
   *
   * @param a a row per lane, neighbours along k side by side
   * @param more false where D shall not be added
   */
  public void multiply(Scope k, TensorMemoryTile d, TensorMemoryTile a, SharedTensor tileB, I32 stage, int first,
      int end, Pred more) {
    for (int slice = first; slice < end; slice += atom.depth()) {
      multiplySlice(k, d, part(a, slice), tileB, stage, slice, slice == first ? more : Pred.known(k, true));
    }
  }

  /**
   * Like {@link #multiply(Scope, TensorMemoryTile, TensorMemoryTile, SharedTensor, I32, int, int, Pred)}, with scales,
   * which are in Tensor Memory already.
   *
   * @param scalesA of every instruction
   * @param scalesB of the first one along k; those of the others follow in the same words
   */
  public void multiplyScaled(Scope k, TensorMemoryTile d, TensorMemoryTile a, UmmaAtom.Scales scalesA,
      SharedTensor tileB, I32 stage, UmmaAtom.Scales scalesB, int first, int end, Pred more) {
    for (int slice = first; slice < end; slice += atom.depth()) {
      var ofSlice = new UmmaAtom.Scales(scalesB.columns(), scalesB.first().plus(slice / atom.kind().block()));
      atom.multiplyScaled(k, d, part(a, slice), b.register(k, tileB, k.constant(0), k.constant(slice), stage), b,
          scalesA, ofSlice, slice == first ? more : Pred.known(k, true));
    }
  }

  private TensorMemoryTile part(TensorMemoryTile a, int slice) {
    return a.part(slice / atom.depth() * columns(), columns());
  }

  /** One thread multiplies A, which lies in equal parts along k, by a stage of B. */
  public void multiply(Scope k, TensorMemoryTile d, List<TensorMemoryTile> a, SharedTensor tileB, I32 stage,
      Pred more) {
    int slice = 0;
    for (var part : a) {
      for (int column = 0; column < part.columns(); column += columns()) {
        multiplySlice(k, d, part.part(column, columns()), tileB, stage, slice, slice == 0 ? more : Pred.known(k, true));
        slice += atom.depth();
      }
    }
  }

  /** Columns of A that one instruction reads. */
  private int columns() {
    return atom.depth() * atom.a().container().bytes() / COLUMN_BYTES;
  }

  private void multiplySlice(Scope k, TensorMemoryTile d, TensorMemoryTile a, SharedTensor tileB, I32 stage, int slice,
      Pred more) {
    atom.multiply(k, d, a, b.register(k, tileB, k.constant(0), k.constant(slice), stage), b, more);
  }
}
