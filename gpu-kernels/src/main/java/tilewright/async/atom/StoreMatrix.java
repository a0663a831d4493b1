package tilewright.async.atom;

import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;

/**
 * {@code stmatrix.x4}: four 8×8 matrices of 16-bit elements from one register each to shared memory (PTX ISA,
 * Warp-level matrix store; SM90). Every lane gives the address of one row of eight neighbours. Which row that is
 * follows from the partition of the values in registers.
 *
 * @param rows (thread, store) → the first element of the thread's row, given the number of its eight values
 * @param transposed whether neighbours run along the first mode of the tile
 */
public record StoreMatrix(Partition rows, boolean transposed) {
  /** Values of a thread that one instruction stores. */
  public static final int VALUES = 8;

  /**
   * @param held thread-value layout on a tile (rows, columns)
   * @throws TraceException naming the value that does not lie where the instruction puts it
   */
  public static StoreMatrix of(Partition held, boolean transposed) {
    var thread = held.layout().mode(0);
    var value = held.layout().mode(1);
    long[] steps = transposed
        ? new long[] {value.apply(1), thread.apply(1), thread.apply(2), value.apply(2), value.apply(4)}
        : new long[] {thread.apply(4), thread.apply(8), thread.apply(16), value.apply(2), value.apply(4)};
    int warps = held.threads() / Warp.SIZE;
    var lanes = Layout.parse("(2,2,2,2,2,%d):(%d,%d,%d,%d,%d,%d)".formatted(warps, steps[0], steps[1], steps[2],
        steps[3], steps[4], warps > 1 ? thread.apply(Warp.SIZE) : 0));
    var stores = value.composition(Layout.of(value.size() / VALUES, VALUES));
    long height = held.tile().getFirst();
    for (int lane = 0; lane < Warp.SIZE; lane++) {
      for (int v = 0; v < value.size(); v++) {
        int along = 2 * (lane % 4) + v % 2;
        int row = transposed ? along : lane / 4;
        int place = transposed ? lane / 4 : along;
        long stored = lanes.apply(v % VALUES / 2 * 8 + row) + stores.apply(v / VALUES)
            + place * (transposed ? 1 : height);
        long element = thread.apply(lane) + value.apply(v);
        if (stored != element) {
          throw new TraceException("stmatrix" + (transposed ? ".trans" : "") + " puts value " + v + " of lane " + lane
              + " at element " + stored + " of the tile, but " + held + " has it at " + element);
        }
      }
    }
    return new StoreMatrix(Partition.shared(Layout.of(lanes, stores), held.tile().get(0), held.tile().get(1)),
        transposed);
  }

  /** The coordinate of the first element of a thread's row, given the number of its eight values. */
  public I32[] row(I32 thread, int store) {
    return rows.coordinate(thread, store);
  }

  /** Stores four registers; {@code row} is the first of this lane's eight neighbours. */
  public void store(Scope k, Element row, List<Operand.Register> matrices) {
    row.requireAligned(8);
    k.emit("stmatrix.sync.aligned.m8n8.x4" + (transposed ? ".trans" : "") + ".shared.b16", row.address(),
        new Operand.Vector(List.copyOf(matrices)));
  }
}
