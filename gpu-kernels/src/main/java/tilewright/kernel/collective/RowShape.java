package tilewright.kernel.collective;

import tilewright.kernel.Partition;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * How threads lie on rows: {@code threads} a row, {@code rows} rows a CTA, and a thread has {@code accesses} runs of
 * {@code vector} neighbours.
 *
 * @param resident whether that covers a row; a longer row is walked through in steps
 */
public record RowShape(int threads, int rows, int vector, int accesses, boolean resident) {
  private static final int BLOCK = 256;
  private static final int LARGEST_BLOCK = 1024;
  private static final int WARP = 32;
  /** Runs under way a thread: 64 bytes. */
  private static final int USUAL = 4;
  /** Registers of a thread in a block of 1024 are 64; half of them may hold the row. */
  private static final int MOST_REGISTERS = 32;

  /** The shape for rows of so many columns: about four runs a thread, more only where a row has too many. */
  public static RowShape of(ElementType type, int columns) {
    int vector = (int) Math.min(16 / type.bytes(), columns == 0 ? 1 : Integer.lowestOneBit(columns));
    int runs = Math.max(1, Math.ceilDiv(columns, vector));
    int threads = Math.clamp(Integer.highestOneBit(Math.max(1, Math.ceilDiv(runs, USUAL) * 2 - 1)), 1, LARGEST_BLOCK);
    int accesses = Math.ceilDiv(runs, threads);
    int registers = accesses * Math.max(1, vector * type.bytes() / 4);
    if (threads == LARGEST_BLOCK && registers > MOST_REGISTERS) return new RowShape(threads, 1, vector, USUAL, false);
    return new RowShape(threads, threads <= WARP ? BLOCK / threads : 1, vector, accesses, true);
  }

  /** The same row by exactly so many threads. */
  public static RowShape of(ElementType type, int columns, int threads) {
    var free = of(type, columns);
    int runs = Math.max(1, Math.ceilDiv(columns, free.vector));
    int accesses = Math.ceilDiv(runs, threads);
    int rows = threads <= WARP ? BLOCK / threads : 1;
    return accesses <= 2 * USUAL ? new RowShape(threads, rows, free.vector, accesses, true)
        : new RowShape(threads, rows, free.vector, USUAL, false);
  }

  /** Threads of the CTA. */
  public int block() {
    return threads * rows;
  }

  /** Columns that the threads of a row cover at once. */
  public int columns() {
    return threads * vector * accesses;
  }

  /** Columns from a thread's first run to another of its runs. */
  public int accessOffset(int access) {
    return access * threads * vector;
  }

  /** (thread of the row and row, run and access) → place in the tile of rows × columns. */
  public Partition partition() {
    var lanes = Layout.of(Layout.of(threads, (long) rows * vector), Layout.of(rows, 1));
    var values = Layout.of(Layout.of(vector, rows), Layout.of(accesses, (long) rows * threads * vector));
    return Partition.exact(Layout.of(lanes, values), rows, columns());
  }
}
