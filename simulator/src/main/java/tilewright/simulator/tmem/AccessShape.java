package tilewright.simulator.tmem;

import java.util.Arrays;
import java.util.Optional;

/**
 * A data movement shape of {@code tcgen05.ld} and {@code tcgen05.st} (PTX ISA, Data Movement Shape): which lane and
 * column, relative to the address, each register of each thread of the warp stands for. Repeats follow each other along
 * the columns.
 */
public enum AccessShape {
  LANES_32_BITS_32("32x32b", 32, 1, 1),
  LANES_16_BITS_64("16x64b", 16, 2, 1),
  LANES_16_BITS_128("16x128b", 16, 4, 2),
  LANES_16_BITS_256("16x256b", 16, 8, 4),
  /** Two pieces of 16 lanes; the second begins at a column offset of its own. */
  LANES_16_BITS_32_TWICE("16x32bx2", 16, 1, 1);

  /** Registers that one instruction can name. */
  public static final int MOST_REGISTERS = 128;
  private static final int HALF_WARP = 16;
  private static final int ROWS = 8;

  private final String text;
  private final int lanes;
  private final int columns;
  private final int registers;

  AccessShape(String text, int lanes, int columns, int registers) {
    this.text = text;
    this.lanes = lanes;
    this.columns = columns;
    this.registers = registers;
  }

  public static Optional<AccessShape> parse(String text) {
    return Arrays.stream(values()).filter(s -> s.text.equals(text)).findFirst();
  }

  public String text() {
    return text;
  }

  /** Lanes of the memory that the warp reaches. */
  public int lanes() {
    return lanes;
  }

  /** Columns of 32 bits that so many repeats cover, in each piece. */
  public int columns(int repeats) {
    return columns * repeats;
  }

  /** Registers of a thread for so many repeats. */
  public int registers(int repeats) {
    return registers * repeats;
  }

  public boolean split() {
    return this == LANES_16_BITS_32_TWICE;
  }

  /** The lane, from that of the address, that a thread's register stands for. */
  public int lane(int thread, int register) {
    return switch (this) {
      case LANES_32_BITS_32 -> thread;
      case LANES_16_BITS_64 -> ROWS * (thread % 2) + thread / 4;
      case LANES_16_BITS_128 -> thread / 4 + ROWS * (register % 2);
      case LANES_16_BITS_256 -> thread / 4 + ROWS * (register / 2 % 2);
      case LANES_16_BITS_32_TWICE -> thread % HALF_WARP;
    };
  }

  /**
   * The column, from that of the address, that a thread's register stands for.
   *
   * @param split where the second piece of {@link #LANES_16_BITS_32_TWICE} begins
   */
  public int column(int thread, int register, int split) {
    return switch (this) {
      case LANES_32_BITS_32 -> register;
      case LANES_16_BITS_64 -> thread / 2 % 2 + 2 * register;
      case LANES_16_BITS_128 -> thread % 4 + 4 * (register / 2);
      case LANES_16_BITS_256 -> 2 * (thread % 4) + register % 2 + 8 * (register / 4);
      case LANES_16_BITS_32_TWICE -> register + (thread < HALF_WARP ? 0 : split);
    };
  }
}
