package tilewright.sm90.collective;

import java.util.List;
import java.util.stream.Stream;
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
 */
record ConvertedRows(WgmmaAtom atom, PairConversion conversion) {

  ConvertedRows {
    if (atom.a().bits() != 16) throw new TraceException("no rows are converted to " + atom.a().text());
  }

  /** Creates rows of a narrow type, in which two elements of 4 bits make a byte. */
  ConvertedRows(WgmmaAtom atom, ElementType narrow) {
    this(atom, PairConversion.of(narrow, atom.a()));
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
    return atom.partitionOfA().values() / PairConversion.PAIR;
  }

  /**
   * Reads a slice of a stage, for the block of 64 rows that begins at a row.
   *
   * @param factors of the thread's two rows
   */
  void read(Scope k, SharedTensor tile, I32 lane, I32 row, int slice, I32 stage,
      List<List<Operand.Register>> factors, List<Operand.Register> into) {
    var partition = atom.partitionOfA();
    for (int i = 0; i < pairs(); i++) {
      var at = partition.coordinate(lane, i * PairConversion.PAIR);
      conversion.convert(k, tile, row.plus(at[0]), at[1].plus(slice * atom.depth()), stage,
          factors.get(i % factors.size()), into.get(i));
    }
  }
}
