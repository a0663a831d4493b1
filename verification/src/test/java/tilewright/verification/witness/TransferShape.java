package tilewright.verification.witness;

import tilewright.layout.Layout;

/**
 * The shapes of {@code tcgen05.ld} and {@code tcgen05.st} as layouts (after the traits of CuTe's copy atoms): which
 * word of a tile, row by row, each register of each thread of a warp is, for N repeats.
 */
enum TransferShape {
  LANES_32_BITS_32("32x32b", 32, 1, 128, "32:N", "N:1"),
  LANES_16_BITS_64("16x64b", 16, 2, 128, "(2,2,8):(16N,1,2N)", "N:2"),
  LANES_16_BITS_128("16x128b", 16, 4, 64, "(4,8):(1,4N)", "(2,N):(32N,4)"),
  LANES_16_BITS_256("16x256b", 16, 8, 32, "(4,8):(2,8N)", "(2,2,N):(1,64N,8)"),
  LANES_16_BITS_32_TWICE("16x32bx2", 16, 2, 128, "(16,2):(2N,N)", "N:1");

  private final String text;
  private final int lanes;
  private final int columns;
  private final int most;
  private final String threads;
  private final String registers;

  TransferShape(String text, int lanes, int columns, int most, String threads, String registers) {
    this.text = text;
    this.lanes = lanes;
    this.columns = columns;
    this.most = most;
    this.threads = threads;
    this.registers = registers;
  }

  String text() {
    return text;
  }

  /** Lanes of a tile. */
  int lanes() {
    return lanes;
  }

  int mostRepeats() {
    return most;
  }

  /** The second half of whose columns lies where the instruction says. */
  boolean split() {
    return this == LANES_16_BITS_32_TWICE;
  }

  /** From a register to its word, from that of the thread. */
  Layout registers(int repeats) {
    return layout(registers, repeats);
  }

  /** From a thread to its first word. */
  Layout threads(int repeats) {
    return layout(threads, repeats);
  }

  /** Words of a row. */
  int columns(int repeats) {
    return columns * repeats;
  }

  private static Layout layout(String text, int repeats) {
    var numbers = new StringBuilder();
    for (var part : text.splitWithDelimiters("\\d*N", 0)) {
      if (part.endsWith("N")) {
        var factor = part.substring(0, part.length() - 1);
        numbers.append((factor.isEmpty() ? 1 : Integer.parseInt(factor)) * repeats);
      } else {
        numbers.append(part);
      }
    }
    return Layout.parse(numbers.toString());
  }
}
