package tilewright.kernel;

import java.util.List;

/**
 * A matrix, or a batch of them, in a named buffer.
 *
 * @param offset bytes from the buffer's begin
 * @param rowStride elements from one row to the next; likewise columns and batch entries
 */
public record Matrix(String buffer, long offset, long rowStride, long columnStride, long batchStride) {

  /** Rows one after the other. */
  public static Matrix rowMajor(String buffer, long rows, long columns) {
    return new Matrix(buffer, 0, columns, 1, rows * columns);
  }

  /** Columns one after the other. */
  public static Matrix columnMajor(String buffer, long rows, long columns) {
    return new Matrix(buffer, 0, 1, rows, rows * columns);
  }

  /**
   * The elements that so many neighbours from the begin of every row (or column) are aligned to, at most {@code most}.
   */
  public int alignment(boolean alongColumns, int elementBytes, int most) {
    long other = alongColumns ? rowStride : columnStride;
    int alignment = most;
    while (alignment > 1
        && (other % alignment != 0 || batchStride % alignment != 0
            || offset % ((long) alignment * elementBytes) != 0)) {
      alignment /= 2;
    }
    return alignment;
  }

  /** Whether neighbours lie in a row, or nowhere: an operand of a GEMM is then K-major. */
  public boolean isRowMajor() {
    return columnStride == 1 || rowStride != 1;
  }

  /** Its rows for columns. */
  public Matrix transposed() {
    return new Matrix(buffer, offset, columnStride, rowStride, batchStride);
  }

  /** The launch argument with extents rows × columns × batch. */
  public LaunchArguments.Tensor argument(long rows, long columns, long batch) {
    return new LaunchArguments.Tensor(buffer, offset, List.of(rows, columns, batch),
        List.of(rowStride, columnStride, batchStride));
  }

  /** The launch argument with extents rows × columns. */
  public LaunchArguments.Tensor argument(long rows, long columns) {
    return new LaunchArguments.Tensor(buffer, offset, List.of(rows, columns), List.of(rowStride, columnStride));
  }
}
