package tilewright.simulator.tmem;

/** The type of a matrix element or a scale factor. */
public enum ElementType {
  F16(16), BF16(16), TF32(32), E4M3(8), E5M2(8), E2M3(6), E3M2(6), E2M1(4), S8(8), U8(8), F32(32), S32(32), UE8M0(8),
  UE4M3(8);

  private final int bits;

  ElementType(int bits) {
    this.bits = bits;
  }

  public int bits() {
    return bits;
  }

  public boolean integer() {
    return this == S8 || this == U8 || this == S32;
  }
}
