package tilewright.ptx;

import java.util.Arrays;
import java.util.Optional;

/** A fundamental or packed type of PTX (PTX ISA, Types). */
public enum PtxType {
  PRED(1), B8(8), U8(8), S8(8), B16(16), U16(16), S16(16), F16(16), BF16(16),
  B32(32), U32(32), S32(32), F32(32), F16X2(32), BF16X2(32), B64(64), U64(64), S64(64), F64(64), F32X2(64), B128(128);

  private final int bits;

  PtxType(int bits) {
    this.bits = bits;
  }

  public int bits() {
    return bits;
  }

  /** Bytes in memory; a predicate has none. */
  public int bytes() {
    return bits / 8;
  }

  /** Whether it says nothing but a size, such as {@code b32}. */
  public boolean isUntyped() {
    return switch (this) {
      case B8, B16, B32, B64, B128 -> true;
      default -> false;
    };
  }

  /** Whether it is signed or unsigned. */
  public boolean isInteger() {
    return switch (this) {
      case U8, S8, U16, S16, U32, S32, U64, S64 -> true;
      default -> false;
    };
  }

  /** Whether it is a pair. */
  public boolean isPacked() {
    return this == F16X2 || this == BF16X2 || this == F32X2;
  }

  /** The type without its dot, such as {@code f16x2}. */
  public String text() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  public static Optional<PtxType> parse(String text) {
    return Arrays.stream(values()).filter(t -> t.text().equals(text)).findFirst();
  }
}
