package tilewright.simulator.tmem;

import tilewright.simulator.core.Warp;

/**
 * A place in Tensor Memory (PTX ISA, Tensor Memory Addressing): the lane in the upper half of a 32-bit address, the
 * column in the lower.
 *
 * @param lane row of the memory, 0 to 127
 * @param column of 32 bits, 0 to 511
 */
public record TmemAddress(int lane, int column) {
  public static final int LANES = 128;
  public static final int COLUMNS = 512;
  /** Lanes that one warp can reach. */
  public static final int WARP_LANES = Warp.LANES;
  private static final int LANE_SHIFT = 16;
  private static final int COLUMN_MASK = 0xFFFF;
  /** Addresses of scale factors and sparsity metadata may carry a selector there. */
  private static final int SELECTOR_SHIFT = 30;

  public TmemAddress {
    if (lane < 0 || lane >= LANES) {
      throw new IllegalArgumentException("lane " + lane + " of a tensor memory address is outside 0 to 127");
    }
    if (column < 0 || column >= COLUMNS) {
      throw new IllegalArgumentException("column " + column + " of a tensor memory address is outside 0 to 511");
    }
  }

  /** Decodes an address. */
  public static TmemAddress of(int bits) {
    return new TmemAddress(bits >>> LANE_SHIFT, bits & COLUMN_MASK);
  }

  /** Decodes an address whose two highest bits select a part of the word and are not part of the place. */
  public static TmemAddress withoutSelector(int bits) {
    return of(bits & (1 << SELECTOR_SHIFT) - 1);
  }

  /** The address as registers hold it. */
  public int bits() {
    return lane << LANE_SHIFT | column;
  }
}
