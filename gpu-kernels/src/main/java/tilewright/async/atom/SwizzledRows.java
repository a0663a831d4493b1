package tilewright.async.atom;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.TraceException;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.f2.Swizzle;
import tilewright.numerics.ElementType;
import tilewright.ptx.tensormap.SwizzleMode;

/**
 * Shared-memory layouts (rows, columns, stages) that TMA fills and wgmma reads: neighbours run along one mode in rows
 * of 32, 64 or 128 bytes, whose 16-byte chunks are permuted by the row's number (PTX ISA, Swizzling Modes).
 */
public final class SwizzledRows {
  private static final int CHUNK = 16;
  private static final int SHIFT = 3;
  private static final SwizzleMode WIDE = SwizzleMode.B128_ATOM_32B;
  private static final int WIDE_SHIFT = 2;
  private static final List<SwizzleMode> MODES = List.of(SwizzleMode.B128, SwizzleMode.B64, SwizzleMode.B32);

  private SwizzledRows() {}

  /** Neighbours along the columns. */
  public static ComposedLayout alongColumns(ElementType type, int rows, int columns, int stages) {
    int width = width(type, columns);
    var row = Layout.of(rows, width);
    var column = Layout.of(Layout.of(width, 1), Layout.of(columns / width, (long) width * rows));
    return of(type, width, row, column, Layout.of(stages, (long) rows * columns));
  }

  /** Neighbours along the rows. */
  public static ComposedLayout alongRows(ElementType type, int rows, int columns, int stages) {
    int width = width(type, rows);
    var row = Layout.of(Layout.of(width, 1), Layout.of(rows / width, (long) width * columns));
    return of(type, width, row, Layout.of(columns, width), Layout.of(stages, (long) rows * columns));
  }

  /**
   * Neighbours along the rows in rows of 128 bytes whose chunks of 32 bytes are permuted: what {@code tcgen05.mma}
   * takes of 32-bit elements (CUTLASS, Layout_MN_SW128_32B_Atom; SM100).
   */
  public static ComposedLayout alongRowsInWideChunks(ElementType type, int rows, int columns, int stages) {
    int width = WIDE.span() / type.bytes();
    if (rows % width != 0) {
      throw new TraceException("no rows of " + WIDE.span() + " bytes for a contiguous extent of " + rows + " "
          + type.text() + ": a multiple of " + width);
    }
    var row = Layout.of(Layout.of(width, 1), Layout.of(rows / width, (long) width * columns));
    return new ComposedLayout(wide(type), 0,
        Layout.of(row, Layout.of(columns, width), Layout.of(stages, (long) rows * columns)));
  }

  private static ComposedLayout of(ElementType type, int width, Layout row, Layout column, Layout stage) {
    return new ComposedLayout(swizzle(width * type.bytes(), type), 0, Layout.of(row, column, stage));
  }

  /** The widest rows that divide an extent. */
  private static int width(ElementType type, int extent) {
    for (var mode : MODES) {
      int width = mode.span() / type.bytes();
      if (extent % width == 0) return width;
    }
    throw new TraceException("no swizzled rows for a contiguous extent of " + extent + " " + type.text()
        + ": a multiple of " + 2 * CHUNK / type.bytes());
  }

  private static Swizzle swizzle(int rowBytes, ElementType type) {
    return new Swizzle(Integer.numberOfTrailingZeros(rowBytes / CHUNK),
        Integer.numberOfTrailingZeros(CHUNK / type.bytes()), SHIFT);
  }

  private static Swizzle wide(ElementType type) {
    return new Swizzle(WIDE_SHIFT, Integer.numberOfTrailingZeros(WIDE.atom() / type.bytes()), WIDE_SHIFT);
  }

  /** The mode that permutes element offsets so, if the hardware has one. */
  public static Optional<SwizzleMode> mode(Swizzle swizzle, ElementType type) {
    if (swizzle.bits() == 0) return Optional.of(SwizzleMode.NONE);
    if (swizzle.equals(wide(type))) return Optional.of(WIDE);
    return MODES.stream().filter(mode -> swizzle.equals(swizzle(mode.span(), type))).findFirst();
  }
}
