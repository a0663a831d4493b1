package tilewright.simulator.tmem;

/**
 * Where the scale factors of a factor's rows lie (PTX ISA, Scale Factor A ID): row r in lane r mod 32 of each warp's
 * lanes and in column r / 32, one byte a block of its row.
 */
public final class ScaleLayout {
  /** Rows in one column. */
  public static final int ROWS = TmemAddress.WARP_LANES;

  private static final int ROWS_OF_TILE = 128;

  private ScaleLayout() {}

  /** Columns between two words of a row, the first of four scales and the next: tiles of 128 rows side by side. */
  public static int columnsOfWord(int rows) {
    return (rows + ROWS_OF_TILE - 1) / ROWS_OF_TILE * (ROWS_OF_TILE / ROWS);
  }

  /** Words that hold a number of scales of a row, from a byte of the first on. */
  public static int words(int id, int perRow) {
    return (id + perRow + Integer.BYTES - 1) / Integer.BYTES;
  }

  /** The column, from that of the address, for a row. */
  public static int column(int row) {
    return row / ROWS;
  }

  /** The lane in a warp's lanes for a row. */
  public static int lane(int row) {
    return row % ROWS;
  }

  /**
   * Checks at which byte of the word the scale factors begin.
   *
   * @param perRow scale factors of a row: 1, 2 or 4, or where K is 96, 3 or 6
   */
  public static void requireId(String factor, int id, int perRow) {
    int unit = switch (perRow) {
      case 3 -> 1;
      case 6 -> 2;
      default -> perRow;
    };
    if (id % unit != 0) {
      throw new IllegalArgumentException("scale factor id of " + factor + " is " + id + ", but " + perRow
          + " scales a row begin at " + (unit == 2 ? "byte 0 or 2" : "byte 0"));
    }
  }

  /** Checks that it is known where the scales of this number of rows lie. */
  public static void requireRows(String factor, int rows, int id, int perRow) {
    if (words(id, perRow) > 1 && rows % ROWS_OF_TILE != 0) {
      throw new IllegalArgumentException("scales of " + factor + " lie in " + words(id, perRow) + " words of " + rows
          + " rows: where the second lies is known of multiples of " + ROWS_OF_TILE + " only");
    }
  }
}
