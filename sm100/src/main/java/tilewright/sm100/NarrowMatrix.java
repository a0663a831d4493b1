package tilewright.sm100;

/**
 * Rows of floats of eight bits or fewer as a Blackwell GEMM reads them, quantized by the host.
 *
 * @param factor of all numbers, which a product is multiplied with
 * @param elements as the layout has them; likewise scales, empty where there are none
 */
public record NarrowMatrix(NarrowLayout layout, float factor, byte[] elements, byte[] scales) {

  /** Quantizes with the factor that the format has for such numbers. */
  public static NarrowMatrix quantize(NarrowFormat format, int rows, int k, float[] values) {
    return quantize(format, format.factor(NarrowFormat.largest(values)), rows, k, values);
  }

  /**
   * Rounds each number to the nearest in units of its block's scale and the factor, ties to the even one; what is
   * beyond the largest becomes that. A block with a number that is not finite becomes NaN by its scale, with elements
   * of zero.
   *
   * @param values row by row; finite where there are no scales
   */
  public static NarrowMatrix quantize(NarrowFormat format, float factor, int rows, int k, float[] values) {
    return quantize(new NarrowLayout(format, rows, k), factor, values);
  }

  /** Quantizes values into a given layout. */
  public static NarrowMatrix quantize(NarrowLayout layout, float factor, float[] values) {
    var format = layout.format();
    int rows = layout.rows();
    int k = layout.k();
    if (values.length != (long) rows * k) {
      throw new IllegalArgumentException(values.length + " numbers are not " + rows + " rows of " + k);
    }
    var matrix = new NarrowMatrix(layout, factor, new byte[Math.toIntExact(layout.elementBytes())],
        new byte[Math.toIntExact(layout.scaleBytes())]);
    int block = format.kind().scaled() ? format.kind().block() : Math.max(k, 1);
    for (int row = 0; row < rows; row++) {
      for (int first = 0; first < k; first += block) {
        matrix.quantizeBlock(values, row, first, Math.min(k, first + block), first / block);
      }
    }
    return matrix;
  }

  private void quantizeBlock(float[] values, int row, int first, int end, int block) {
    var format = layout.format();
    int begin = row * layout.k();
    float largest = 0;
    for (int i = first; i < end; i++) largest = Math.max(largest, Math.abs(values[begin + i]));
    float inverse = 1;
    if (format.kind().scaled()) {
      byte scale = format.scale(largest, factor);
      scales[Math.toIntExact(layout.scalePlace(row, block))] = scale;
      inverse = format.inverse(scale, factor);
    } else if (!Float.isFinite(largest)) {
      throw new IllegalArgumentException("cannot quantize " + largest + " in row " + row + ": a format without scales "
          + "needs finite numbers");
    }
    if (!Float.isFinite(largest)) return;
    var numbers = NarrowNumbers.of(format.element());
    for (int i = first; i < end; i++) put(row, i, numbers.encode(values[begin + i] * inverse));
  }

  /** The number that an element, its scale and the factor stand for. */
  public double value(int row, int at) {
    return inUnits(row, at) * factor;
  }

  /** Returns an element's value without the factor. */
  public double inUnits(int row, int at) {
    var kind = layout.format().kind();
    return kind.scaled() ? element(row, at) * scale(row, at / kind.block()) : element(row, at);
  }

  /** The number that an element stands for, without its scale. */
  public double element(int row, int at) {
    return NarrowNumbers.of(layout.format().element()).decode(get(row, at));
  }

  /** The scale of a block of a row, where the format has scales. */
  public double scale(int row, int block) {
    return layout.format().scaleValue(scales[Math.toIntExact(layout.scalePlace(row, block))]);
  }

  private void put(int row, int at, int bits) {
    int each = layout.format().element().bits();
    long first = bit(row, at);
    for (int i = 0; i < each; i++) {
      elements[(int) ((first + i) / Byte.SIZE)] |= (byte) ((bits >> i & 1) << (first + i) % Byte.SIZE);
    }
  }

  private int get(int row, int at) {
    int bits = 0;
    long first = bit(row, at);
    for (int i = 0; i < layout.format().element().bits(); i++) {
      bits |= (elements[(int) ((first + i) / Byte.SIZE)] >> (first + i) % Byte.SIZE & 1) << i;
    }
    return bits;
  }

  private long bit(int row, int at) {
    return layout.index(row, at) * layout.format().element().bits();
  }
}
