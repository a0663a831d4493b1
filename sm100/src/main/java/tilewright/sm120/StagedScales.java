package tilewright.sm120;

import java.util.Arrays;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The scales of an operand in the stages of shared memory: tiles of 128 rows by four, which come from global memory as
 * they lie there, and from which a lane reads its rows' scales. Rows are counted in groups of 32, through all tiles.
 */
final class StagedScales {
  /** Words of a tile of scales, one for each row. */
  static final int WORDS = ScaleCopy.BYTES / Integer.BYTES;
  /** Groups of rows of a tile. */
  static final int GROUPS = ScaleCopy.ROWS / BlockScaledMma.ROWS;
  private static final int VECTOR = 4;
  private static final int OPERANDS = 2;

  private final Scope k;
  private final int operand;
  private final int tiles;
  private final Partition lanes;
  private final SharedTensor written;
  private final SharedTensor read;

  /**
   * @param memory of two operands, from {@link #memory}
   * @param operand 0 or 1
   * @param tiles of a stage
   * @param lanes thread and register → row, counted from its warp's or the stage's first
   */
  StagedScales(Scope k, SharedTensor memory, int operand, int tiles, Layout lanes) {
    this.k = k;
    this.operand = operand;
    this.tiles = tiles;
    this.lanes = Partition.shared(lanes, BlockScaledMma.ROWS, tiles * GROUPS);
    long slots = memory.layout().shape().mode(1).size();
    long words = memory.layout().shape().mode(0).size();
    this.written = memory.under(Layout.of(Layout.of(tiles, WORDS), Layout.of(WORDS, 1), Layout.of(slots, words)));
    var bytes = ScaleCopy.layout().mode(0);
    var groups = Layout.of(bytes.mode(1), Layout.of(tiles, ScaleCopy.BYTES));
    this.read = memory.under(ElementType.I8, Layout.of(bytes.mode(0), groups, ScaleCopy.layout().mode(1),
        Layout.of(slots, words * Integer.BYTES)));
  }

  /** Memory for the scales of two operands, without a gap between them. */
  static SharedTensor memory(Scope k, int stages, int tiles) {
    return k.shared(ElementType.I32, Layout.columnMajor((long) tiles * WORDS, OPERANDS * stages));
  }

  private I32 slot(I32 stage) {
    return stage.times(OPERANDS).plus(operand);
  }

  /** Lanes' rows and registers for a block of rows of each warp. */
  static Layout lanes(Layout rows, Layout warps, int block) {
    return Layout.of(Layout.of(rows, warps),
        Layout.of(Math.ceilDiv(block, BlockScaledMma.ROWS), BlockScaledMma.ROWS));
  }

  /** Starts the copy of the tiles that a tensor (tiles, words, …) begins with, where they are there. */
  void copy(I32 thread, GlobalTensor from, I32 stage, Pred there) {
    int threads = tiles * WORDS / VECTOR;
    var copy = TiledCopy.rowMajor(new CpAsync(k, VECTOR, Integer.BYTES), threads, WORDS / VECTOR)
        .where(there.and(thread.lessThan(threads)));
    var rest = new I32[from.rank() - 2];
    Arrays.fill(rest, k.constant(0));
    copy.copy(thread.modulo(threads), from, written, slot(stage), rest);
  }

  /**
   * Loads scales of one row to the low bytes of a register.
   *
   * @param register of the lane, counted in groups of rows from {@code group} on
   * @param first scale of the row; {@code count} of them, 1, 2 or 4
   */
  void load(I32 thread, int register, I32 group, I32 first, int count, I32 stage, Operand.Register into) {
    var place = lanes.coordinate(thread, register);
    var from = read.at(place[0], place[1].plus(group), first, slot(stage)).address();
    k.emit("ld.shared." + (count == 4 ? "b32" : "u" + count * Byte.SIZE), into, from);
  }
}
