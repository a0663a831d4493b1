package tilewright.simulator.tensorcore;

/**
 * How shared memory is permuted within a matrix pattern: sixteen-byte units (or pairs of them) of an address are
 * exclusive-ored with the row of 128 bytes in which they lie (PTX ISA, Swizzling Modes). It acts on the address itself,
 * so patterns must be aligned to their size or say by how much they are not.
 */
public enum Swizzle {
  NONE(16, 0, 0, 0), B32(32, 1, 4, 3), B64(64, 2, 4, 3), B128(128, 3, 4, 3),
  /** 128 bytes in atoms of 32 bytes. */
  B128_ATOM32(128, 2, 5, 2);

  private final int span;
  private final int bits;
  private final int base;
  private final int shift;

  Swizzle(int span, int bits, int base, int shift) {
    this.span = span;
    this.bits = bits;
    this.base = base;
    this.shift = shift;
  }

  /** Bytes of a row of the pattern. */
  public int span() {
    return span;
  }

  /** Rows after which the pattern repeats. */
  int rows() {
    return this == B128_ATOM32 ? 4 : 8;
  }

  /** The address at which the byte of that linear address lies. */
  public int apply(int address) {
    return address ^ (address >>> shift & (1 << bits) - 1 << base);
  }
}
