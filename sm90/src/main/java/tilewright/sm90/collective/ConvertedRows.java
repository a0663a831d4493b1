package tilewright.sm90.collective;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * Rows of A that lie in shared memory in a narrow type and become operand A of a 16-bit {@code wgmma} in registers:
 * each thread reads what it needs in pairs along k, and nothing moves between threads (CUTLASS, example 55).
 *
 * @param narrow type of A's elements in shared memory, where two of 4 bits make a byte
 */
record ConvertedRows(WgmmaAtom atom, ElementType narrow) {
  private static final int PAIR = 2;

  ConvertedRows {
    if (atom.a().bits() != 16) throw new TraceException("no rows are converted to " + atom.a().text());
  }

  /** K of a slice, which is what one multiplication takes. */
  int depth() {
    return atom.depth();
  }

  /** Registers for a slice. */
  List<Operand.Register> registers(Scope k) {
    return Stream.generate(() -> k.newRegister(PtxType.B32)).limit(pairs()).toList();
  }

  private int pairs() {
    return atom.partitionOfA().values() / PAIR;
  }

  /**
   * Reads a slice of a stage, for the block of 64 rows that begins at a row.
   *
   * @param scales of the thread's two rows, which its elements are multiplied by before they are rounded
   */
  void read(Scope k, SharedTensor tile, I32 lane, I32 row, int slice, I32 stage, List<F32> scales,
      List<Operand.Register> into) {
    var partition = atom.partitionOfA();
    for (int i = 0; i < pairs(); i++) {
      var at = partition.coordinate(lane, i * PAIR);
      var pair = pair(tile, row.plus(at[0]), at[1].plus(slice * atom.depth()), stage);
      var scale = scales.get(i % scales.size());
      k.emit("cvt.rn." + atom.a().text() + "x2.f32", into.get(i), pair.get(1).times(scale).register(),
          pair.get(0).times(scale).register());
    }
  }

  private List<F32> pair(SharedTensor tile, I32 row, I32 column, I32 stage) {
    if (narrow == ElementType.I4) return tile.at(row, column.dividedBy(PAIR), stage).vector(1).fourBits();
    return tile.at(row, column, stage).load(PAIR);
  }
}
