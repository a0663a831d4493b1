package tilewright.simulator.tmem;

/** How {@code tcgen05.cp} widens elements while it copies them (PTX ISA, Optional Decompression). */
public enum Decompression {
  NONE, B4X16_P64, B6X16_P32;

  /** Elements and bytes of a chunk, before and after. */
  public static final int CHUNK = 16;

  /**
   * Widens a chunk of sixteen bytes in place: sixteen packed elements and padding become a byte each. Four bits come
   * to lie in the middle of theirs, six in the lower part.
   */
  public void widen(byte[] chunk, int at) {
    if (this == NONE) return;
    int width = this == B4X16_P64 ? 4 : 6;
    int shift = this == B4X16_P64 ? 2 : 0;
    var packed = new byte[CHUNK];
    System.arraycopy(chunk, at, packed, 0, CHUNK);
    for (int i = 0; i < CHUNK; i++) chunk[at + i] = (byte) (PackedElements.element(packed, 0, width, i) << shift);
  }
}
