package tilewright.sm100;

import tilewright.layout.Layout;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;
import tilewright.sm100.atom.ScaleCopy;

/**
 * Rows of floats of eight bits or fewer as a Blackwell GEMM reads them, with the scales of blocks of neighbours along k
 * where its kind has them.
 *
 * @param elements rows one after the other, elements without gaps from the lowest bits up
 * @param scales tiles of 128 rows by four, tiles along k first; empty where there are none
 */
public record NarrowMatrix(MmaKind kind, MmaFormat format, int rows, int k, byte[] elements, byte[] scales) {
  private static final int UE8M0_BIAS = 127;
  private static final Layout TILE = ScaleCopy.layout();

  /**
   * Rounds each number to the nearest, in units of its block's scale: the power of two with which the block's largest
   * exponent is the format's (OCP Microscaling Formats 1.0, section 6.3), or for NVF4 the nearest UE4M3 to a sixth of
   * the block's largest magnitude.
   *
   * @param values row by row, finite
   */
  public static NarrowMatrix quantize(MmaKind kind, MmaFormat format, int rows, int k, float[] values) {
    int unit = kind.scaled() ? kind.block() * ScaleCopy.SCALES : 1;
    int tiles = Math.ceilDiv(k, unit);
    if (values.length != rows * k || k * format.bits() % Byte.SIZE != 0 || kind.scaled() && k % kind.block() != 0) {
      throw new IllegalArgumentException("cannot quantize " + values.length + " numbers as " + rows + " rows of " + k
          + " " + format.text() + ": rows are whole bytes and whole blocks");
    }
    int bytes = kind.scaled() ? Math.ceilDiv(rows, ScaleCopy.ROWS) * tiles * ScaleCopy.BYTES : 0;
    var elements = new byte[Math.toIntExact((long) rows * k * format.bits() / Byte.SIZE)];
    var matrix = new NarrowMatrix(kind, format, rows, k, elements, new byte[bytes]);
    int block = kind.scaled() ? kind.block() : k;
    for (int row = 0; row < rows; row++) {
      for (int first = 0; first < k; first += block) matrix.quantizeBlock(values, row, first, block);
    }
    return matrix;
  }

  private void quantizeBlock(float[] values, int row, int first, int block) {
    double largest = 0;
    for (int i = first; i < first + block; i++) {
      float value = values[row * k + i];
      if (!Float.isFinite(value)) {
        throw new IllegalArgumentException("cannot quantize " + value + " in row " + row + " at " + i
            + ": numbers must be finite");
      }
      largest = Math.max(largest, Math.abs(value));
    }
    double scale = 1;
    if (kind.scaled()) {
      int bits = scaleBits(largest);
      scales[place(row, first / block)] = (byte) bits;
      scale = scale(bits);
    }
    var numbers = NarrowNumbers.of(format);
    for (int i = first; i < first + block; i++) {
      put(row * k + i, numbers.encode(scale == 0 ? 0 : values[row * k + i] / scale));
    }
  }

  private int scaleBits(double largest) {
    var numbers = NarrowNumbers.of(format);
    if (kind == MmaKind.NVF4) return NarrowNumbers.of(MmaFormat.E4M3).encode(largest / numbers.largest());
    int exponent = largest == 0 ? 0 : Math.getExponent(largest) - numbers.largestExponent();
    return Math.clamp(exponent, -UE8M0_BIAS, UE8M0_BIAS) + UE8M0_BIAS;
  }

  private double scale(int bits) {
    return kind == MmaKind.NVF4 ? NarrowNumbers.of(MmaFormat.E4M3).decode(bits)
        : Math.scalb(1.0, (bits & 0xFF) - UE8M0_BIAS);
  }

  /** Tiles of scales along k. */
  public int tiles() {
    return Math.ceilDiv(k, kind.block() * ScaleCopy.SCALES);
  }

  /** Where the scale of a row's block is. */
  private int place(int row, int block) {
    int tile = row / ScaleCopy.ROWS * tiles() + block / ScaleCopy.SCALES;
    return tile * ScaleCopy.BYTES
        + Math.toIntExact(TILE.apply(row % ScaleCopy.ROWS + (long) ScaleCopy.ROWS * (block % ScaleCopy.SCALES)));
  }

  /** The number that an element and its scale stand for. */
  public double value(int row, int at) {
    double element = NarrowNumbers.of(format).decode(get(row * k + at));
    return kind.scaled() ? element * scale(scales[place(row, at / kind.block())]) : element;
  }

  private void put(int index, int bits) {
    int first = index * format.bits();
    for (int i = 0; i < format.bits(); i++) {
      elements[(first + i) / Byte.SIZE] |= (byte) ((bits >> i & 1) << (first + i) % Byte.SIZE);
    }
  }

  private int get(int index) {
    int bits = 0;
    int first = index * format.bits();
    for (int i = 0; i < format.bits(); i++) {
      bits |= (elements[(first + i) / Byte.SIZE] >> (first + i) % Byte.SIZE & 1) << i;
    }
    return bits;
  }
}
