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
    int perElement = atom.a().container().bytes();
    int columns = atom.depth() * perElement / COLUMN_BYTES;
    for (int slice = first; slice < end; slice += atom.depth()) {
      var part = a.part(slice * perElement / COLUMN_BYTES, columns);
      var rows = b.register(k, tileB, k.constant(0), k.constant(slice), stage);
      atom.multiply(k, d, part, rows, b, slice == first ? more : k.constant(0).equalTo(0));
    }
  }

  /** One thread multiplies A, which lies in equal parts along k, by a stage of B. */
  public void multiply(Scope k, TensorMemoryTile d, List<TensorMemoryTile> a, SharedTensor tileB, I32 stage,
      Pred more) {
    int perElement = atom.a().container().bytes();
    int columns = atom.depth() * perElement / COLUMN_BYTES;
    int slice = 0;
    for (var part : a) {
      for (int column = 0; column < part.columns(); column += columns) {
        var rows = b.register(k, tileB, k.constant(0), k.constant(slice), stage);
        atom.multiply(k, d, part.part(column, columns), rows, b, slice == 0 ? more : k.constant(0).equalTo(0));
        slice += atom.depth();
      }
    }
  }
}
