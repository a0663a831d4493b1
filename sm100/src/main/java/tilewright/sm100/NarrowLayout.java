package tilewright.sm100;

import tilewright.layout.Layout;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The layout of a matrix's elements and scales in memory. Rows follow one another, elements without gaps from the
 * lowest bits up; each row ends in as many zeros as tensor copies and blocks need. Or columns follow one another, and
 * columns of zeros come last. Scales lie in tiles of 128 rows by four, tiles along k first, in either case.
 *
 * @param alongK whether rows follow one another (else columns)
 */
public record NarrowLayout(NarrowFormat format, int rows, int k, boolean alongK) {
  private static final Layout TILE = ScaleCopy.layout();
  /** Copies that unpack elements need rows of so many; alike for all formats, so that they can be mixed. */
  private static final int UNIT = 128;

  public NarrowLayout {
    if (rows < 1 || k < 0) {
      throw new IllegalArgumentException("invalid extents " + rows + "x" + k + ": at least 1x0");
    }
    if (!alongK && format.kind().perContainer() > 1) {
      throw new IllegalArgumentException(format + " cannot lie along the rows: the instruction transposes no elements "
          + "of which two share a byte (PTX ISA, Instruction descriptor)");
    }
  }

  /** Rows one after the other. */
  public NarrowLayout(NarrowFormat format, int rows, int k) {
    this(format, rows, k, true);
  }

  private static int padded(int extent) {
    return Math.multiplyExact(Math.ceilDiv(extent, UNIT), UNIT);
  }

  /** Elements from one row, or column, to the next. */
  public int pitch() {
    return padded(alongK ? k : rows);
  }

  /** Columns, with those of zeros. */
  int columns() {
    return padded(k);
  }

  /** Rows, with those of zeros. */
  int storedRows() {
    return alongK ? rows : pitch();
  }

  /** The number of an element, counted from the first. */
  long index(int row, int at) {
    return alongK ? (long) row * pitch() + at : (long) at * pitch() + row;
  }

  /** Words of 32 bits of a row, or column. */
  public int words() {
    return Math.toIntExact((long) pitch() * format.element().bits() / Integer.SIZE);
  }

  public long elementBytes() {
    return (long) (alongK ? rows : columns()) * words() * Integer.BYTES;
  }

  /** Tiles of scales along k. */
  public int tiles() {
    return format.kind().scaled() ? Math.ceilDiv(k, format.kind().block() * ScaleCopy.SCALES) : 0;
  }

  /** Tiles of scales along the rows. */
  public int blockRows() {
    return Math.ceilDiv(rows, ScaleCopy.ROWS);
  }

  public long scaleBytes() {
    return (long) blockRows() * tiles() * ScaleCopy.BYTES;
  }

  /** The byte of the scale of a row's block. */
  public long scalePlace(int row, int block) {
    long tile = (long) (row / ScaleCopy.ROWS) * tiles() + block / ScaleCopy.SCALES;
    return tile * ScaleCopy.BYTES
        + TILE.apply(row % ScaleCopy.ROWS + (long) ScaleCopy.ROWS * (block % ScaleCopy.SCALES));
  }
}
