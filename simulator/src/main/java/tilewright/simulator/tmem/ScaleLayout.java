package tilewright.simulator.tmem;

/**
 * Where the scale factors of a factor's rows lie (PTX ISA, Scale Factor A ID): row r in lane r mod 32 of each warp's
 * lanes and in column r / 32, one byte a block of its row.
 */
public final class ScaleLayout {
  /** Rows in one column. */
  public static final int ROWS = TmemAddress.WARP_LANES;

  private ScaleLayout() {}

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
   * @param perRow scale factors of a row: 1, 2 or 4
   */
  public static void requireId(String factor, int id, int perRow) {
    if (id % perRow != 0) {
      throw new IllegalArgumentException("scale factor id of " + factor + " is " + id + ", but " + perRow
          + " scales a row begin at " + (perRow == 2 ? "byte 0 or 2" : "byte 0"));
    }
  }
}
