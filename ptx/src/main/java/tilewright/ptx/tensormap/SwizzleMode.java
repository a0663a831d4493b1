package tilewright.ptx.tensormap;

import java.util.Arrays;
import java.util.Optional;

/**
 * How shared memory is permuted, in the order of {@code CUtensorMapSwizzle} (cuda.h); {@link #B96} is known only to
 * {@code tensormap.replace} (PTX ISA, Swizzling Modes).
 */
public enum SwizzleMode {
  NONE("none", 0, 16), B32("32B", 32, 16), B64("64B", 64, 16), B128("128B", 128, 16),
  B128_ATOM_32B("128B_ATOM_32B", 128, 32), B128_ATOM_32B_FLIP_8B("128B_ATOM_32B_FLIP_8B", 128, 32),
  B128_ATOM_64B("128B_ATOM_64B", 128, 64), B96("96B", 96, 16);

  private final String text;
  private final int span;
  private final int atom;

  SwizzleMode(String text, int span, int atom) {
    this.text = text;
    this.span = span;
    this.atom = atom;
  }

  public static Optional<SwizzleMode> parse(String text) {
    return Arrays.stream(values()).filter(t -> t.text.equals(text)).findFirst();
  }

  /** The most bytes that an inner row of the box may have; 0 for any number. */
  public int span() {
    return span;
  }

  /** The bytes that stay together. */
  public int atom() {
    return atom;
  }

  @Override
  public String toString() {
    return text;
  }
}
