package tilewright.simulator.tmem;

/** Elements of fewer than eight bits side by side, the first in the lowest bits. */
public final class PackedElements {
  private PackedElements() {}

  /** Element {@code index} of those of {@code width} bits that begin at byte {@code at}. */
  public static int element(byte[] bytes, int at, int width, int index) {
    int bit = width * index;
    int first = at + bit / Byte.SIZE;
    int word = bytes[first] & 0xFF;
    if (bit % Byte.SIZE + width > Byte.SIZE) word |= (bytes[first + 1] & 0xFF) << Byte.SIZE;
    return word >>> bit % Byte.SIZE & (1 << width) - 1;
  }
}
