package tilewright.simulator.tensorcore;

import java.util.Arrays;
import java.util.Optional;

/** An element type of a tensor-core matrix (PTX ISA, Matrix Data-types). */
public enum MmaType {
  F16(16), BF16(16), TF32(32), E4M3(8), E5M2(8), E3M2(6), E2M3(6), E2M1(4), S8(8), U8(8), S4(4), U4(4), B1(1), F64(64),
  F32(32), S32(32);

  private static final MmaType[] ALL = values();

  private final int bits;

  MmaType(int bits) {
    this.bits = bits;
  }

  public int bits() {
    return bits;
  }

  /** Elements in a 32-bit register; one for types that need a register or two. */
  public int perRegister() {
    return Math.max(1, 32 / bits);
  }

  public boolean isInteger() {
    return switch (this) {
      case S8, U8, S4, U4, B1, S32 -> true;
      default -> false;
    };
  }

  /** The format of a type that tensor cores multiply as floating point. */
  public NumberFormat format() {
    return NumberFormat.valueOf(name());
  }

  /** The type without its dot, such as {@code tf32}. */
  public String text() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  public static Optional<MmaType> parse(String text) {
    return Arrays.stream(ALL).filter(t -> t.text().equals(text)).findFirst();
  }

  public static MmaType at(int ordinal) {
    return ALL[ordinal];
  }

  /** An integer element from the bits of its register. */
  public int integer(int register, int index) {
    int field = register >>> index * bits;
    return switch (this) {
      case S8 -> (byte) field;
      case U8 -> field & 0xFF;
      case S4 -> field << 28 >> 28;
      case U4 -> field & 0xF;
      case B1 -> field & 1;
      default -> throw new IllegalArgumentException("no integer: " + this);
    };
  }
}
