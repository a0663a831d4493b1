package tilewright.reference;

/**
 * Quantises a matrix in blocks, each with a scale that brings its largest magnitude to the largest number of the
 * narrow type: value ≈ scale · narrow (DeepSeek-V3, 3.3.2: 1×128 for activations, 128×128 for weights).
 *
 * @param rows of a block; likewise depth, along k
 */
public record BlockQuantizer(int rows, int depth) {
  /** Blocks of one row: activations. */
  public static final BlockQuantizer ROWS = new BlockQuantizer(1, ScaledGemmReference.BLOCK);
  /** Square blocks: weights. */
  public static final BlockQuantizer SQUARES =
      new BlockQuantizer(ScaledGemmReference.BLOCK, ScaledGemmReference.BLOCK);

  /**
   * Quantises (M, K, L).
   *
   * @param narrow (M, K, L) of an 8-bit type, for the values
   * @param scales (⌈M/rows⌉, ⌈K/depth⌉, L) of FP32; a block of zeros has scale 1
   */
  public void quantize(TensorView source, TensorView narrow, TensorView scales) {
    long m = source.layout().mode(0).size();
    long k = source.layout().mode(1).size();
    long batch = source.layout().mode(2).size();
    for (long l = 0; l < batch; l++) {
      for (long row = 0; row < m; row += rows) {
        for (long from = 0; from < k; from += depth) {
          long block = index(scales, row / rows, from / depth, l);
          block(source, narrow, new Range(row, Math.min(m, row + rows)), new Range(from, Math.min(k, from + depth)), l,
              scales, block);
        }
      }
    }
  }

  private record Range(long from, long to) {}

  private static void block(TensorView source, TensorView narrow, Range rows, Range depth, long batch,
      TensorView scales, long at) {
    double largest = 0;
    for (long row = rows.from; row < rows.to; row++) {
      for (long k = depth.from; k < depth.to; k++) {
        largest = Math.max(largest, Math.abs(source.value(index(source, row, k, batch))));
      }
    }
    scales.set(at, largest == 0 ? 1 : largest / largest(narrow));
    double scale = scales.value(at);
    for (long row = rows.from; row < rows.to; row++) {
      for (long k = depth.from; k < depth.to; k++) {
        double value = source.value(index(source, row, k, batch)) / scale;
        double limit = largest(narrow);
        narrow.set(index(narrow, row, k, batch), Math.clamp(value, -limit, limit));
      }
    }
  }

  private static double largest(TensorView narrow) {
    return switch (narrow.type()) {
      case E4M3 -> 448;
      case E5M2 -> 57344;
      case I8 -> 127;
      case I4 -> 7;
      default -> throw new IllegalArgumentException("cannot quantise to " + narrow.type().text()
          + ": e4m3, e5m2, i8 or i4");
    };
  }

  private static long index(TensorView tensor, long row, long k, long batch) {
    return row + tensor.layout().mode(0).size() * (k + tensor.layout().mode(1).size() * batch);
  }
}
