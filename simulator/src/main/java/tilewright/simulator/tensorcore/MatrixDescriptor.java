package tilewright.simulator.tensorcore;

/**
 * Where a matrix operand lies in shared memory: the 64-bit descriptor of {@code wgmma} and {@code tcgen05} (PTX ISA,
 * Matrix-descriptor format).
 *
 * @param start bytes
 * @param leading leading dimension byte offset
 * @param stride stride dimension byte offset
 * @param baseOffset rows of 128 bytes by which the pattern's start is past a multiple of its size
 * @param absolute whether {@code leading} is an address rather than an offset (tcgen05)
 */
public record MatrixDescriptor(int start, int leading, int stride, int baseOffset, Swizzle swizzle, boolean absolute) {
  private static final int UNIT = 16;
  private static final int FIELD = (1 << 14) - 1;

  /** Decodes a descriptor of {@code wgmma}: the swizzle in bits 62-63. */
  public static MatrixDescriptor hopper(long bits) {
    var swizzle = switch ((int) (bits >>> 62)) {
      case 0 -> Swizzle.NONE;
      case 1 -> Swizzle.B128;
      case 2 -> Swizzle.B64;
      default -> Swizzle.B32;
    };
    return of(bits, swizzle, false);
  }

  /**
   * Decodes a descriptor of {@code tcgen05}: the swizzle in bits 61-63, the constant 1 in bits 46-47, the mode of
   * {@code leading} in 52.
   *
   * @throws IllegalArgumentException if the version or the swizzle is none of this architecture's
   */
  public static MatrixDescriptor blackwell(long bits) {
    int version = (int) (bits >>> 46) & 3;
    if (version != 1) {
      throw new IllegalArgumentException("matrix descriptor 0x" + Long.toHexString(bits) + " has " + version
          + " in bits 46-47: tcgen05 needs 1 there");
    }
    var swizzle = switch ((int) (bits >>> 61)) {
      case 0 -> Swizzle.NONE;
      case 1 -> Swizzle.B128_ATOM32;
      case 2 -> Swizzle.B128;
      case 4 -> Swizzle.B64;
      case 6 -> Swizzle.B32;
      default -> throw new IllegalArgumentException("matrix descriptor 0x" + Long.toHexString(bits)
          + " has the swizzle code " + (bits >>> 61) + ": 0, 1, 2, 4 and 6 are known");
    };
    return of(bits, swizzle, (bits >>> 52 & 1) != 0);
  }

  private static MatrixDescriptor of(long bits, Swizzle swizzle, boolean absolute) {
    return new MatrixDescriptor(field(bits, 0), field(bits, 16), field(bits, 32), (int) (bits >>> 49) & 7, swizzle,
        absolute);
  }

  private static int field(long bits, int at) {
    return (int) (bits >>> at & FIELD) * UNIT;
  }

  /** The address of a byte that lies so far behind the start in the pattern without swizzle. */
  int address(int offset) {
    int linear = start + offset;
    int shift = baseOffset << 7;
    // The pattern begins as many rows later as the base offset says.
    return swizzle.apply(linear - shift) + shift;
  }
}
