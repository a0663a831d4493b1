package tilewright.layout;

/**
 * {@code Sw<B,M,S>}: folds a field of {@code bits} bits onto the field {@code shift} bits below it, both above the lowest
 * {@code base} bits: x ↦ x ⊕ ((x &amp; Y) ≫ S). A bijection, and its own inverse, of every aligned block of 2^(B+M+|S|).
 */
public record Swizzle(int bits, int base, int shift) {
  public Swizzle {
    if (bits < 0 || base < 0 || Math.abs(shift) < bits) {
      throw new IllegalArgumentException("invalid Sw<" + bits + "," + base + "," + shift + ">: B and M are at least 0 and |S| at least B");
    }
    if ((long) bits + base + Math.abs(shift) > 62) {
      throw new IllegalArgumentException("invalid Sw<" + bits + "," + base + "," + shift + ">: its fields end above bit 62");
    }
  }

  public static Swizzle parse(String text) {
    return Notation.swizzle(text);
  }

  public long apply(long x) {
    long read = (1L << bits) - 1 << base + Math.max(0, shift);
    return x ^ (shift >= 0 ? (x & read) >> shift : (x & read) << -shift);
  }

  @Override
  public String toString() {
    return "Sw<" + bits + "," + base + "," + shift + ">";
  }
}
