package tilewright.kernel.tiled;

import tilewright.kernel.TraceException;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.f2.Swizzle;
import tilewright.numerics.ElementType;

/**
 * Shared-memory layouts (rows, columns, stages) of 16-bit and 8-bit operands that {@code cp.async} writes and {@code
 * ldmatrix} reads without bank conflicts: neighbours run along one mode in rows of up to 128 bytes (all banks once),
 * and the 16-byte chunks of a row are permuted by the row's number. Elements have 16 bits where no type is given.
 */
public final class SwizzledTile {
  private static final ElementType HALF = ElementType.F16;
  private static final int CHUNK_BYTES = 16;
  private static final int BANK_ROW_BYTES = 128;
  /** Chunks of a bank row, as a power of two. */
  private static final int CHUNK_BITS = 3;

  private SwizzledTile() {}

  /** Neighbours along the columns: an operand whose contiguous mode is k. */
  public static ComposedLayout alongColumns(int rows, int columns, int stages) {
    return alongColumns(HALF, rows, columns, stages);
  }

  /** {@link #alongColumns(int, int, int)} for elements of a type. */
  public static ComposedLayout alongColumns(ElementType type, int rows, int columns, int stages) {
    int width = width(type, columns);
    var row = Layout.of(rows, width);
    var column = Layout.of(Layout.of(width, 1), Layout.of(columns / width, (long) width * rows));
    var stage = Layout.of(stages, (long) rows * columns);
    return new ComposedLayout(swizzle(type, width), 0, Layout.of(row, column, stage));
  }

  /**
   * {@link #alongColumns} for an operand A whose other operand goes through k in another order.
   *
   * @param order place along k of a fragment → column of the tile
   */
  public static ComposedLayout alongColumnsInOrder(ElementType type, int rows, int columns, int stages, Layout order) {
    var plain = (Layout) alongColumns(type, rows, columns, stages).layout();
    return new ComposedLayout(swizzle(type, width(type, columns)), 0,
        Layout.of(plain.mode(0), plain.mode(1).composition(order.rightInverse()), plain.mode(2)));
  }

  /** Neighbours along the rows: an operand whose contiguous mode is m or n. */
  public static ComposedLayout alongRows(int rows, int columns, int stages) {
    return alongRows(HALF, rows, columns, stages);
  }

  /** {@link #alongRows(int, int, int)} for elements of a type. */
  public static ComposedLayout alongRows(ElementType type, int rows, int columns, int stages) {
    int width = width(type, rows);
    var row = Layout.of(Layout.of(width, 1), Layout.of(rows / width, (long) width * columns));
    return new ComposedLayout(swizzle(type, width), 0,
        Layout.of(row, Layout.of(columns, width), Layout.of(stages, (long) rows * columns)));
  }

  /**
   * {@link #alongColumns} for an operand of whose rows a thread's accumulators shall have {@code run} neighbours, 4
   * or 8: of 4 · run rows, what {@code mma} takes for its columns 2q and 2q + 1 of atom j are rows run · q + 2j and run
   * · q + 2j + 1.
   */
  public static ComposedLayout alongColumnsInRuns(ElementType type, int rows, int columns, int stages, int run) {
    var plain = (Layout) alongColumns(type, rows, columns, stages).layout();
    int width = width(type, columns);
    var row = Layout.of(Layout.of(2, width), Layout.of(run / 2, 8L * width), Layout.of(4, 2L * width),
        Layout.of(rows / (4 * run), 4L * run * width));
    return new ComposedLayout(swizzle(type, width), 0, Layout.of(row, plain.mode(1), plain.mode(2)));
  }

  private static int width(ElementType type, int extent) {
    int width = Math.min(Integer.lowestOneBit(extent), BANK_ROW_BYTES / type.bytes());
    int least = 2 * chunk(type);
    if (width < least) {
      throw new TraceException("no swizzled rows for a contiguous extent of " + extent + ": a multiple of " + least);
    }
    return width;
  }

  private static int chunk(ElementType type) {
    return CHUNK_BYTES / type.bytes();
  }

  private static Swizzle swizzle(ElementType type, int width) {
    int chunk = chunk(type);
    return new Swizzle(Integer.numberOfTrailingZeros(width / chunk), Integer.numberOfTrailingZeros(chunk), CHUNK_BITS);
  }
}
