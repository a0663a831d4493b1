package tilewright.kernel.collective;

import tilewright.kernel.Partition;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * How threads lie on rows: {@code threads} a row, {@code rows} rows a CTA, and a thread has {@code accesses} runs of
 * {@code vector} neighbours.
 *
 * @param kept accesses whose values stay in registers; the others' stay in shared memory
 * @param resident whether all that covers a row; a longer row is walked through in steps
 */
public record RowShape(int threads, int rows, int vector, int accesses, int kept, boolean resident) {
  private static final int BLOCK = 256;
  private static final int LARGEST_BLOCK = 1024;
  private static final int WARP = 32;
  /** Runs under way a thread: 64 bytes. */
  private static final int USUAL = 4;
  /** Registers of a thread in a block of 1024 are 64; half of them may hold the row. */
  private static final int MOST_REGISTERS = 32;

  /** Accesses of a block of 1024 that 128 KiB of shared memory hold, 16 bytes a thread each. */
  private static final int MOST_SHARED = 8;

  /** The shape for rows of so many columns: about four runs a thread, more only where a row has too many. */
  public static RowShape of(ElementType type, int columns) {
    int vector = (int) Math.min(16 / type.bytes(), columns == 0 ? 1 : Integer.lowestOneBit(columns));
    int runs = Math.max(1, Math.ceilDiv(columns, vector));
    int threads = Math.clamp(Integer.highestOneBit(Math.max(1, Math.ceilDiv(runs, USUAL) * 2 - 1)), 1, LARGEST_BLOCK);
    int accesses = Math.ceilDiv(runs, threads);
    int kept = threads < LARGEST_BLOCK ? accesses
        : Math.min(accesses, MOST_REGISTERS / Math.max(1, vector * type.bytes() / 4));
    boolean fits = kept == accesses || vector * type.bytes() == 16 && accesses - kept <= MOST_SHARED;
    if (!fits) return walking(threads, 1, vector);
    return new RowShape(threads, threads <= WARP ? BLOCK / threads : 1, vector, accesses, kept, true);
  }

  private static RowShape walking(int threads, int rows, int vector) {
    return new RowShape(threads, rows, vector, USUAL, USUAL, false);
  }

  /** The same row by exactly so many threads. */
  public static RowShape of(ElementType type, int columns, int threads) {
    var free = of(type, columns);
    int runs = Math.max(1, Math.ceilDiv(columns, free.vector));
    int accesses = Math.ceilDiv(runs, threads);
    int rows = threads <= WARP ? BLOCK / threads : 1;
    return accesses <= 2 * USUAL ? new RowShape(threads, rows, free.vector, accesses, accesses, true)
        : walking(threads, rows, free.vector);
  }

  /** The same threads with few runs each, for kernels that walk through a row once. */
  public RowShape walking() {
    return accesses <= USUAL ? this : walking(threads, rows, vector);
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
