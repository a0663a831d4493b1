package tilewright.numerics;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The type of a tensor's elements: how wide they are in memory and which number each bit pattern stands for.
 *
 * <p>Every value of every type but none of its NaN payloads is exact in a {@code double}, so a conversion between two
 * types is {@code to.fromDouble(from.toDouble(bits), rounding)} and rounds once.
 */
public enum ElementType {
  F64(64, new BinaryFormat(11, 52)),
  F32(32, new BinaryFormat(8, 23)),
  /** Ten fraction bits in the upper bits of a 32-bit word; the lower 13 are ignored when read and zero when written. */
  TF32(32, new BinaryFormat(8, 10)),
  F16(16, new BinaryFormat(5, 10)),
  BF16(16, new BinaryFormat(8, 7)),
  /** Eight bits without infinities, up to 448. */
  E4M3(8, new FiniteFormat(4, 3)),
  E5M2(8, new BinaryFormat(5, 2)),
  I8(8, new IntegerFormat(8)),
  /** Two in a byte, the first in the low half. */
  I4(4, new IntegerFormat(4)),
  I32(32, new IntegerFormat(32));

  private final int bits;
  private final NumberFormat format;
  private final int padding;

  ElementType(int bits, NumberFormat format) {
    this.bits = bits;
    this.format = format;
    this.padding = bits - format.bits();
  }

  /** Bits of one element in memory. */
  public int bits() {
    return bits;
  }

  /**
   * Bytes of one element in memory.
   *
   * @throws IllegalStateException where that is no whole number
   */
  public int bytes() {
    if (bits < Byte.SIZE) throw new IllegalStateException(text() + " has half a byte an element: count bits");
    return bits / Byte.SIZE;
  }

  /** Bytes that so many neighbours take. */
  public long bytes(long elements) {
    return Math.ceilDiv(Math.multiplyExact(elements, bits), Byte.SIZE);
  }

  /** Exponent of the smallest normal number: -14 for f16. */
  public int minExponent() {
    return format.minExponent();
  }

  /** The number that the low {@link #bits()} of {@code bits} stand for; higher bits are ignored, NaN payloads lost. */
  public double toDouble(long bits) {
    return switch (this) {
      case F64 -> Double.longBitsToDouble(bits);
      case F32 -> Float.intBitsToFloat((int) bits);
      case F16 -> Float.float16ToFloat((short) bits);
      case BF16 -> Float.intBitsToFloat((int) bits << 16);
      case TF32 -> Float.intBitsToFloat((int) bits & -1 << padding);
      case E4M3, E5M2, I8, I4, I32 -> format.decode(bits);
    };
  }

  /**
   * The bit pattern of {@code value} rounded once, with subnormals, signed zeros and infinities as in IEEE 754. A NaN
   * becomes NVIDIA's canonical one (0x7FFF in 16 bits, 0x7FFFFFFF in 32; PTX ISA, cvt); F64 keeps every pattern.
   */
  public long fromDouble(double value, Rounding rounding) {
    if (this == F64) return Double.doubleToRawLongBits(value);
    if (Double.isNaN(value)) return format instanceof IntegerFormat ? format.nan() : (1L << bits - 1) - 1;
    if (this == F32 && rounding == Rounding.NEAREST_EVEN) return Float.floatToRawIntBits((float) value) & 0xFFFFFFFFL;
    return format.encode(value, rounding) << padding;
  }

  /** {@code value} rounded to the nearest number of this type, ties to even. */
  public double round(double value) {
    return this == F64 ? value : toDouble(fromDouble(value, Rounding.NEAREST_EVEN));
  }

  /**
   * Distance from the number of this type below {@code |value|} to the next larger one: one unit in the last place.
   *
   * @param value finite; magnitudes beyond the largest finite number get that number's unit
   */
  public double ulp(double value) {
    return format.ulp(value);
  }

  /** The name in PTX and on the command line, such as {@code bf16}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The type with this {@link #text()}. */
  public static Optional<ElementType> parse(String text) {
    return Arrays.stream(values()).filter(type -> type.text().equals(text)).findFirst();
  }
}
