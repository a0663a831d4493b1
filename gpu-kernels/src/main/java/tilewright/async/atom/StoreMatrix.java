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
 * @param rows thread → the first element of its row, for the first eight values of a thread
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
    var lanes = Layout.parse("((2,2,2,2,2,%d),1):((%d,%d,%d,%d,%d,%d),0)".formatted(warps, steps[0], steps[1], steps[2],
        steps[3], steps[4], warps > 1 ? thread.apply(Warp.SIZE) : 0));
    long height = held.tile().getFirst();
    for (int lane = 0; lane < Warp.SIZE; lane++) {
      for (int v = 0; v < VALUES; v++) {
        int along = 2 * (lane % 4) + v % 2;
        int row = transposed ? along : lane / 4;
        int place = transposed ? lane / 4 : along;
        long stored = lanes.apply(v / 2 * 8 + row) + place * (transposed ? 1 : height);
        long element = thread.apply(lane) + value.apply(v);
        if (stored != element) {
          throw new TraceException("stmatrix" + (transposed ? ".trans" : "") + " puts value " + v + " of lane " + lane
              + " at element " + stored + " of the tile, but " + held + " has it at " + element);
        }
      }
    }
    return new StoreMatrix(Partition.shared(lanes, held.tile().get(0), held.tile().get(1)), transposed);
  }

  /** The first element of a thread's row, relative to the coordinate of the first of the values. */
  public I32[] row(I32 thread) {
    return rows.coordinate(thread, 0);
  }

  /** Stores four registers; {@code row} is the first of this lane's eight neighbours. */
  public void store(Scope k, Element row, List<Operand.Register> matrices) {
    row.requireAligned(8);
    k.emit("stmatrix.sync.aligned.m8n8.x4" + (transposed ? ".trans" : "") + ".shared.b16", row.address(),
        new Operand.Vector(List.copyOf(matrices)));
  }
}
