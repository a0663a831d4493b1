package tilewright.kernel.tiled;

import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;

/** How tiles of 16-bit and 8-bit operands that {@code ldmatrix} reads lie in shared memory: (rows, columns, stages). */
public enum OperandOrder {
  /** Chunks of 16 bytes permuted by the row's number, {@link SwizzledTile}: no bank conflicts and no space lost. */
  SWIZZLED(0) {
    @Override
    public OffsetMap alongColumns(ElementType type, int rows, int columns, int stages) {
      return SwizzledTile.alongColumns(type, rows, columns, stages);
    }

    @Override
    public OffsetMap alongRows(ElementType type, int rows, int columns, int stages) {
      return SwizzledTile.alongRows(type, rows, columns, stages);
    }

    @Override
    public OffsetMap alongColumnsInRuns(ElementType type, int rows, int columns, int stages, int run) {
      return SwizzledTile.alongColumnsInRuns(type, rows, columns, stages, run);
    }
  },
  /** Rows 16 bytes longer than the tile's, so that the next begins four banks on. */
  PADDED(16),
  /** Rows without a gap: {@code ldmatrix} meets the same banks again. */
  PLAIN(0);

  private final int paddingBytes;

  /** @param paddingBytes bytes behind each row */
  OperandOrder(int paddingBytes) {
    this.paddingBytes = paddingBytes;
  }

  /** A tile whose neighbours run along the columns: an operand whose contiguous mode is k. */
  public OffsetMap alongColumns(ElementType type, int rows, int columns, int stages) {
    long stride = columns + paddingBytes / type.bytes();
    return Layout.of(Layout.of(rows, stride), Layout.of(columns, 1), Layout.of(stages, rows * stride));
  }

  /** A tile whose neighbours run along the rows: an operand whose contiguous mode is m or n. */
  public OffsetMap alongRows(ElementType type, int rows, int columns, int stages) {
    long stride = rows + paddingBytes / type.bytes();
    return Layout.of(Layout.of(rows, 1), Layout.of(columns, stride), Layout.of(stages, columns * stride));
  }

  /** {@link #alongColumns} with rows in the order of {@link SwizzledTile#alongColumnsInRuns}. */
  public OffsetMap alongColumnsInRuns(ElementType type, int rows, int columns, int stages, int run) {
    long stride = columns + paddingBytes / type.bytes();
    var row = Layout.of(Layout.of(2, stride), Layout.of(run / 2, 8 * stride), Layout.of(4, 2 * stride),
        Layout.of(rows / (4 * run), 4 * run * stride));
    return Layout.of(row, Layout.of(columns, 1), Layout.of(stages, rows * stride));
  }
}
