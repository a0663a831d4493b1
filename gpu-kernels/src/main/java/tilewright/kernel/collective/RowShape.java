package tilewright.kernel.collective;

import java.util.stream.IntStream;
import tilewright.kernel.Partition;
import tilewright.kernel.Warp;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/**
 * How threads lie on rows: {@code cluster} CTAs per row, {@code threads} of each, {@code rows} rows side by side in a
 * CTA, {@code each} rows per thread, and of each row a thread has {@code accesses} runs of {@code vector} neighbours.
 *
 * @param length columns of a row
 * @param kept accesses whose values stay in registers; the others' stay in shared memory
 * @param resident whether all that covers a row; a longer row is walked through in steps
 * @param blocks CTAs that are to fit on an SM; 0 for whatever number
 */
public record RowShape(int length, int cluster, int threads, int rows, int each, int vector, int accesses, int kept,
    boolean resident, int blocks) {
  private static final int BLOCK = 256;
  private static final int LARGEST_BLOCK = 1024;
  private static final int ACCESS_BYTES = 16;
  /** Runs under way a thread: 64 bytes. */
  private static final int USUAL = 4;
  /** Threads that a row has if it can: their runs side by side are 128 bytes, what memory likes to give. */
  private static final int FEWEST = 8;
  /** Registers of a thread in a block of 1024 are 64; half of them may hold the row. */
  private static final int MOST_REGISTERS = 32;
  /** Accesses of a block of 1024 that 128 KiB of shared memory hold, 16 bytes per thread each. */
  private static final int MOST_SHARED = 8;

  /** The shape for rows of so many columns: about four runs a thread, more only where a row has too many. */
  public static RowShape of(ElementType type, int columns) {
    return of(type, columns, RowTuning.NONE);
  }

  /** The shape for rows of so many columns, as far as it is not chosen. */
  public static RowShape of(ElementType type, int columns, RowTuning tuning) {
    int cluster = Math.max(1, tuning.cluster());
    int widest = tuning.vector() > 0 ? tuning.vector() : ACCESS_BYTES / type.bytes();
    int vector = Math.min(widest, columns == 0 ? 1 : Integer.lowestOneBit(columns));
    int runs = Math.max(1, Math.ceilDiv(columns, vector * cluster));
    int some = tuning.threads() > 0 ? tuning.threads()
        : Math.clamp(Math.max(upTo(Math.ceilDiv(runs, tuning.runs() > 0 ? tuning.runs() : USUAL)),
            Math.min(FEWEST, upTo(runs))), 1, LARGEST_BLOCK);
    // CTAs that share a row have it alone, and exchange its results by as many threads as there are CTAs.
    int threads = cluster > 1 ? Math.max(Warp.SIZE, some) : some;
    int rows = cluster > 1 ? 1
        : threads <= Warp.SIZE ? (tuning.block() > 0 ? tuning.block() : BLOCK) / threads
        : Math.max(1, Math.min(tuning.beside(), LARGEST_BLOCK / threads));
    if (rows < 1) {
      throw new IllegalArgumentException("a CTA of " + tuning.block() + " threads has no room for a row, which has "
          + threads + "; needed are " + threads + " threads at least");
    }
    int accesses = Math.ceilDiv(runs, threads);
    int each = Math.max(1, tuning.each());
    int held = accesses * each;
    int most = MOST_REGISTERS / Math.max(1, vector * type.bytes() / 4);
    boolean shareable = vector * type.bytes() == ACCESS_BYTES;
    int kept = tuning.kept() > 0 && shareable && held - tuning.kept() <= MOST_SHARED ? Math.min(held, tuning.kept())
        : threads * rows < LARGEST_BLOCK && held <= 2 * USUAL ? held : Math.min(held, most);
    var shape = new RowShape(columns, cluster, threads, rows, each, vector, accesses, kept, true, tuning.blocks());
    return kept == held || shareable && held - kept <= MOST_SHARED ? shape : shape.walked();
  }

  /** The smallest power of two that is at least so much. */
  private static int upTo(int number) {
    return number <= 1 ? 1 : Integer.highestOneBit(2 * number - 1);
  }

  private RowShape walked() {
    return walked(Math.max(1, USUAL / each));
  }

  private RowShape walked(int step) {
    return new RowShape(length, 1, threads, rows, each, vector, step, step * each, false, blocks);
  }

  /** This shape with few runs per thread at once, for kernels that walk through a row once. */
  public RowShape walking() {
    return walking(USUAL);
  }

  /** This shape with at most {@code step} runs per thread at once; see {@link #walking()}. */
  public RowShape walking(int step) {
    return accesses <= step ? this : walked(step);
  }

  /** This shape with no more CTAs on an SM than it has room for, by their threads. */
  public RowShape within(Multiprocessor sm) {
    return new RowShape(length, cluster, threads, rows, each, vector, accesses, kept, resident,
        Math.min(blocks, sm.ctasOf(block())));
  }

  /** Threads of the CTA. */
  public int block() {
    return threads * rows;
  }

  /** Rows of a CTA's tile. */
  public int tileRows() {
    return rows * each;
  }

  /** Columns that the threads of a row in one CTA cover at once. */
  public int columns() {
    return threads * vector * accesses;
  }

  /** The first column of the last step through a row that is walked through. */
  int lastStep() {
    return Math.max(0, length - 1) / columns() * columns();
  }

  /** Whether its threads cover a row a whole number of times, so that none of them is ever behind its end. */
  boolean exact() {
    return length > 0 && length % (columns() * cluster) == 0;
  }

  /** Columns from a thread's first run to another of its runs. */
  public int accessOffset(int access) {
    return access * threads * vector;
  }

  /** CTAs for so many rows. */
  public int grid(int m) {
    return Math.ceilDiv(m, tileRows()) * cluster;
  }

  /** (thread of the row and row, run, access and row of the thread) → place in the tile of rows × columns. */
  public Partition partition() {
    var lanes = Layout.of(Layout.of(threads, (long) tileRows() * vector), Layout.of(rows, 1));
    var values = Layout.of(Layout.of(vector, tileRows()), Layout.of(accesses, (long) tileRows() * threads * vector),
        Layout.of(each, rows));
    return Partition.exact(Layout.of(lanes, values), tileRows(), columns());
  }

  /** By thread of a row in one CTA the columns that it has, in the order in which it comes to them. */
  public int[][] order() {
    var layout = partition().layout();
    return IntStream.range(0, threads).mapToObj(thread -> IntStream.iterate(0, from -> from < length,
        from -> from + columns()).flatMap(from -> IntStream.range(0, vector * accesses)
            .map(v -> from + (int) (layout.apply((long) v * block() + thread) / tileRows())))
        .filter(column -> column < length).toArray()).toArray(int[][]::new);
  }
}
