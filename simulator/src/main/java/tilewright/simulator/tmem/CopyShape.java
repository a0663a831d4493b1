package tilewright.simulator.tmem;

import java.util.Arrays;
import java.util.Optional;

/**
 * A shape of {@code tcgen05.cp}, with its multicast (PTX ISA, tcgen05.cp): which row of the matrix in shared memory
 * goes to which lane. Columns of a row are contiguous bits of 32-bit columns.
 */
public enum CopyShape {
  LANES_128_BITS_256("128x256b", "", 128, 256),
  LANES_128_BITS_128("128x128b", "", 128, 128),
  /** One row to the first lane of each warp. */
  LANES_4_BITS_256("4x256b", "", 4, 256),
  /** Rows 0 to 31 to warps 0 and 2, rows 32 to 63 to warps 1 and 3. */
  LANES_64_BITS_128_02_13("64x128b", "warpx2::02_13", 64, 128),
  /** Rows 0 to 31 to warps 0 and 1, rows 32 to 63 to warps 2 and 3. */
  LANES_64_BITS_128_01_23("64x128b", "warpx2::01_23", 64, 128),
  /** The rows to each warp. */
  LANES_32_BITS_128("32x128b", "warpx4", 32, 128);

  private final String text;
  private final String multicast;
  private final int rows;
  private final int bits;

  CopyShape(String text, String multicast, int rows, int bits) {
    this.text = text;
    this.multicast = multicast;
    this.rows = rows;
    this.bits = bits;
  }

  /** The shape of that name; {@code multicast} is empty where the instruction names none. */
  public static Optional<CopyShape> parse(String text, String multicast) {
    return Arrays.stream(values()).filter(s -> s.text.equals(text) && s.multicast.equals(multicast)).findFirst();
  }

  /** Rows of the matrix in shared memory. */
  public int rows() {
    return rows;
  }

  /** Bytes of a row. */
  public int rowBytes() {
    return bits / Byte.SIZE;
  }

  /** Columns of 32 bits that are written. */
  public int columns() {
    return bits / Integer.SIZE;
  }

  /** The row that a lane receives, or -1 if it receives none. */
  public int row(int lane) {
    int warp = lane / TmemAddress.WARP_LANES;
    int within = lane % TmemAddress.WARP_LANES;
    return switch (this) {
      case LANES_128_BITS_256, LANES_128_BITS_128 -> lane;
      case LANES_4_BITS_256 -> within == 0 ? warp : -1;
      case LANES_64_BITS_128_02_13 -> within + TmemAddress.WARP_LANES * (warp % 2);
      case LANES_64_BITS_128_01_23 -> within + TmemAddress.WARP_LANES * (warp / 2);
      case LANES_32_BITS_128 -> within;
    };
  }
}
