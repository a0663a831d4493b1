package tilewright.sm100.atom;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.ptx.Operand;

/**
 * Neighbouring columns of Tensor Memory, all lanes of them.
 *
 * @param first the first column, counted from the allocation's first
 * @param columns of 32 bits
 */
public record TensorMemoryTile(TensorMemory memory, I32 first, int columns) {

  /** Some of the columns. */
  public TensorMemoryTile part(int from, int count) {
    if (from < 0 || count < 1 || from + count > columns) {
      throw new TraceException("columns " + from + " to " + (from + count - 1) + " are not among the tile's "
          + columns);
    }
    return new TensorMemoryTile(memory, first.plus(from), count);
  }

  /** One of several stages of equally many columns. */
  public TensorMemoryTile stage(I32 stage, int stages) {
    int each = columns / stages;
    return new TensorMemoryTile(memory, first.plus(stage.times(each)), each);
  }

  /** The operand that names lane 0 of the first column. */
  public Operand.Address address(Scope k) {
    return at(k, k.constant(0), 0);
  }

  /** The operand that names a lane and a column. */
  public Operand.Address at(Scope k, I32 lane, int column) {
    return new Operand.Address(memory.address(first.plus(column)).plus(lane.times(TensorMemory.LANE)).register(), 0);
  }
}
