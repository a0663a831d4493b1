package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * Rows of A that lie in shared memory in an 8-bit type and become operand A of a 16-bit {@code wgmma} in registers:
 * each thread reads what it needs in pairs along k, and nothing moves between threads (CUTLASS, example 55).
 */
final class ConvertedRows {
  private static final int PAIR = 2;

  private final WgmmaAtom atom;

  ConvertedRows(WgmmaAtom atom) {
    this.atom = atom;
    if (atom.a().bits() != 16) throw new TraceException("no rows are converted to " + atom.a().text());
  }

  /** The registers of every slice of a stage, for the block of 64 rows that begins at a row. */
  List<List<Operand.Register>> read(Scope k, SharedTensor tile, I32 lane, I32 row, I32 stage, int depth) {
    var slices = new ArrayList<List<Operand.Register>>();
    for (int slice = 0; slice < depth; slice += atom.depth()) slices.add(slice(k, tile, lane, row, stage, slice));
    return slices;
  }

  private List<Operand.Register> slice(Scope k, SharedTensor tile, I32 lane, I32 row, I32 stage, int slice) {
    var partition = atom.partitionOfA();
    var registers = new ArrayList<Operand.Register>();
    for (int value = 0; value < partition.values(); value += PAIR) {
      var at = partition.coordinate(lane, value);
      var pair = tile.at(row.plus(at[0]), at[1].plus(slice), stage).load(PAIR);
      var packed = k.newRegister(PtxType.B32);
      k.emit("cvt.rn." + atom.a().text() + "x2.f32", packed, pair.get(1).register(), pair.get(0).register());
      registers.add(packed);
    }
    return List.copyOf(registers);
  }
}
