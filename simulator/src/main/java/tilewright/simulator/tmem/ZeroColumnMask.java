package tilewright.simulator.tmem;

import java.util.BitSet;

/**
 * The zero-column mask descriptor of {@code tcgen05.mma.ws} (PTX ISA, Zero-Column Mask Descriptor): which columns of B
 * count as zeros.
 *
 * @param zeros bits of columns that count as zeros
 * @param shift how far to the right of B's first column the multiplication begins
 */
public record ZeroColumnMask(BitSet zeros, int shift) {
  /** No column is masked. */
  public static final ZeroColumnMask NONE = new ZeroColumnMask(new BitSet(), 0);
  private static final int SPANS = 32;
  private static final int NON_ZERO = 39;
  private static final int SKIP = 40;
  private static final int USE = 48;
  private static final int SHIFT = 56;
  private static final int SHIFT_MASK = 0x3F;

  /**
   * Decodes a descriptor for a multiplication of {@code m} rows and {@code n} columns.
   *
   * <p>Runs of columns alternate: those whose values count, one more than the use span says, and those of zeros, one
   * more than the skip span says. (The ISA's table of fields says it the other way round; its four examples, which
   * agree with the names, say this.) A start count says how many columns of the first run, which the first span
   * selects, have gone by before the sub-mask begins.
   */
  public static ZeroColumnMask of(long bits, int m, int n) {
    int shift = (int) (bits >>> SHIFT) & SHIFT_MASK;
    int most = m == 32 ? 16 : 32;
    if (shift > most) {
      throw new IllegalArgumentException("zero-column mask shifts by " + shift + ", but M = " + m + " allows " + most);
    }
    var zeros = new BitSet(n);
    if ((bits >>> NON_ZERO & 1) == 0) return new ZeroColumnMask(zeros, shift);
    int parts = m == 128 ? 1 : m == 64 ? 2 : 4;
    int used = ((int) (bits >>> USE) & 0xFF) + 1;
    int masked = ((int) (bits >>> SKIP) & 0xFF) + 1;
    int width = n / parts;
    for (int part = 0; part < parts; part++) {
      boolean zero = (bits >>> SPANS + part & 1) != 0;
      int gone = (int) (bits >>> 8 * part) & 0xFF;
      int at = zero ? used + gone : gone;
      for (int i = 0; i < width; i++) {
        if ((at + i) % (used + masked) >= used) zeros.set(part * width + i);
      }
    }
    return new ZeroColumnMask(zeros, shift);
  }
}
