package tilewright.kernel.tiled;

import tilewright.kernel.TraceException;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.f2.Swizzle;

/**
 * Shared-memory layouts (rows, columns, stages) of 16-bit operands that {@code cp.async} writes and {@code ldmatrix}
 * reads without bank conflicts: neighbours run along one mode in rows of up to 64 elements (128 bytes, all banks
 * once), and the eight-element chunks of a row are permuted by the row's number.
 */
public final class SwizzledTile {
  private static final int CHUNK = 8;
  private static final int BANK_ROW = 64;

  private SwizzledTile() {}

  /** Neighbours along the columns: an operand whose contiguous mode is k. */
  public static ComposedLayout alongColumns(int rows, int columns, int stages) {
    int width = width(columns);
    var row = Layout.of(rows, width);
    var column = Layout.of(Layout.of(width, 1), Layout.of(columns / width, (long) width * rows));
    return new ComposedLayout(swizzle(width), 0, Layout.of(row, column, Layout.of(stages, (long) rows * columns)));
  }

  /** Neighbours along the rows: an operand whose contiguous mode is m or n. */
  public static ComposedLayout alongRows(int rows, int columns, int stages) {
    int width = width(rows);
    var row = Layout.of(Layout.of(width, 1), Layout.of(rows / width, (long) width * columns));
    return new ComposedLayout(swizzle(width), 0,
        Layout.of(row, Layout.of(columns, width), Layout.of(stages, (long) rows * columns)));
  }

  /**
   * {@link #alongColumns} for an operand of whose rows a thread's accumulators shall have {@code run} neighbours, 4
   * or 8: of 4 · run rows, what {@code mma} takes for its columns 2q and 2q + 1 of atom j are rows run · q + 2j and run
   * · q + 2j + 1.
   */
  public static ComposedLayout alongColumnsInRuns(int rows, int columns, int stages, int run) {
    var plain = (Layout) alongColumns(rows, columns, stages).layout();
    int width = width(columns);
    var row = Layout.of(Layout.of(2, width), Layout.of(run / 2, 8L * width), Layout.of(4, 2L * width),
        Layout.of(rows / (4 * run), 4L * run * width));
    return new ComposedLayout(swizzle(width), 0, Layout.of(row, plain.mode(1), plain.mode(2)));
  }

  private static int width(int extent) {
    int width = Math.min(Integer.lowestOneBit(extent), BANK_ROW);
    if (width < 2 * CHUNK) {
      throw new TraceException("no swizzled rows for a contiguous extent of " + extent + ": a multiple of 16");
    }
    return width;
  }

  private static Swizzle swizzle(int width) {
    return new Swizzle(Integer.numberOfTrailingZeros(width / CHUNK), 3, 3);
  }
}
