package tilewright.ptx.tensormap;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The element type of a tensor, in the order of {@code CUtensorMapDataType} (cuda.h). */
public enum TensorElement {
  U8(8), U16(16), U32(32), S32(32), U64(64), S64(64), F16(16), F32(32), F64(64), BF16(16), F32_FTZ(32), TF32(32),
  TF32_FTZ(32),
  /** Sixteen 4-bit values in 8 bytes, in shared memory as in global memory ({@code .b4x16}). */
  U4_ALIGN8B("16u4_align8b", 4, 4),
  /** Sixteen 4-bit values in 8 bytes, in shared memory followed by 8 bytes of padding ({@code .b4x16_p64}). */
  U4_ALIGN16B("16u4_align16b", 4, 8),
  /**
   * Sixteen 6-bit values in 12 bytes, in shared memory followed by 4 bytes of padding ({@code .b6x16_p32}); a store
   * takes them from the low bits of sixteen bytes ({@code .b6p2x16}).
   */
  U6_ALIGN16B("16u6_align16b", 6, 8);

  private final String text;
  private final int bits;
  private final int sharedBits;

  TensorElement(int bits) {
    text = name().toLowerCase(Locale.ROOT);
    this.bits = bits;
    sharedBits = bits;
  }

  TensorElement(String text, int bits, int sharedBits) {
    this.text = text;
    this.bits = bits;
    this.sharedBits = sharedBits;
  }

  /** The name in launch files, such as {@code bf16}. */
  public String text() {
    return text;
  }

  public static Optional<TensorElement> parse(String text) {
    return Arrays.stream(values()).filter(t -> t.text.equals(text)).findFirst();
  }

  /** Bits of an element in global memory. */
  public int bits() {
    return bits;
  }

  /** Bits that an element takes in shared memory, with its share of the padding. */
  public int sharedBits() {
    return sharedBits;
  }

  /** Whether sixteen elements make one unit. */
  public boolean isPacked() {
    return bits < 8;
  }

  /** Whether a unit in shared memory has padding. */
  public boolean isPadded() {
    return bits != sharedBits;
  }

  public boolean isFloat() {
    return switch (this) {
      case F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ -> true;
      default -> false;
    };
  }

  /** The bytes that {@code elements} take in shared memory, rounded up. */
  public long sharedBytes(long elements) {
    return Math.ceilDiv(Math.multiplyExact(elements, sharedBits), 8);
  }

  @Override
  public String toString() {
    return text;
  }
}
