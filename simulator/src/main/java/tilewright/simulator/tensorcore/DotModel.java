package tilewright.simulator.tensorcore;

/**
 * How tensor cores add up a dot product (truncated fused dot product and add): terms are aligned to the largest
 * exponent, cut to {@code fraction} bits below it, summed exactly, and rounded once for each block of {@code block}
 * products. Which numbers hold depends on the target and the instruction. They are those published for MMA-Sim, except
 * for the {@code zero} of f16 sums, which the Leeds model gives and an H200 confirms for sm_90.
 *
 * @param block products added at a time; longer dot products chain blocks
 * @param fraction bits kept below the largest exponent
 * @param zero the exponent that zero terms count with
 */
public record DotModel(int block, int fraction, int zero, Rounding rounding) {
  private static final int AMPERE = 80;
  private static final int ADA = 89;
  private static final int HOPPER = 90;
  private static final int HOPPER_FRACTION = 25;
  private static final int HOPPER_ZERO = -133;
  private static final int HOPPER_HALF_ZERO = -21;
  private static final int CONSUMER_BLACKWELL = 120;
  private static final int AMPERE_ZERO = -132;
  private static final int AMPERE_HALF_ZERO = -20;
  private static final int BYTE_FRACTION = 13;

  /** The format that the sum of a block is rounded to. */
  public enum Rounding {
    /** An FP32 number, toward zero; what is too large becomes infinite all the same. */
    F32,
    /** A half, to nearest even. */
    F16,
    /** An FP32 number of which 13 fraction bits are kept, toward zero. */
    E8M13;

    public boolean half() {
      return this == F16;
    }

    /** Bits of the significand, with the leading one. */
    int significandBits() {
      return switch (this) {
        case F32 -> 24;
        case F16 -> 11;
        case E8M13 -> 14;
      };
    }
  }

  /** The model with sums in f16 or f32. */
  private static DotModel of(int block, int fraction, int zero, int halfZero, boolean half) {
    return new DotModel(block, fraction, half ? halfZero : zero, half ? Rounding.F16 : Rounding.F32);
  }

  /** Products of fp8: sums that are not f16 keep 13 fraction bits only. */
  private static DotModel bytes(int block, int zero, boolean half) {
    return new DotModel(block, BYTE_FRACTION, zero, half ? Rounding.F16 : Rounding.E8M13);
  }

  /**
   * {@code mma.sync} and {@code wmma}. For fp8 and smaller on sm_120 it is taken to be that of {@code tcgen05.mma}; no
   * device has shown that.
   *
   * @param architecture compute capability times ten
   * @param half whether the sums are f16
   * @throws IllegalArgumentException if the instruction is not native there
   */
  public static DotModel warp(int architecture, MmaType factors, boolean half) {
    boolean hopper = architecture >= HOPPER;
    boolean bytes = factors.bits() <= Byte.SIZE && !factors.isInteger();
    if (bytes && architecture >= CONSUMER_BLACKWELL) return blackwell(factors, half);
    if (architecture < AMPERE || bytes && architecture != ADA) {
      throw new IllegalArgumentException(
          "tensor cores of sm_" + architecture + " do not multiply " + factors.text() + " in a warp: use 80 or newer");
    }
    if (bytes) {
      return bytes(16, half ? AMPERE_HALF_ZERO : AMPERE_ZERO, half);
    }
    int block = (hopper ? 16 : 8) / (factors == MmaType.TF32 ? 2 : 1);
    return hopper ? of(block, HOPPER_FRACTION, HOPPER_ZERO, HOPPER_HALF_ZERO, half)
        : of(block, 24, AMPERE_ZERO, AMPERE_HALF_ZERO, half);
  }

  /** The model of an instruction that is {@code steps} steps deep. */
  public DotModel withBlock(int steps) {
    return new DotModel(steps, fraction, zero, rounding);
  }

  /** {@code wgmma.mma_async}, which only sm_90a has. */
  public static DotModel warpgroup(MmaType factors, boolean half) {
    if (factors.bits() == Byte.SIZE) {
      return bytes(32, half ? HOPPER_HALF_ZERO : HOPPER_ZERO, half);
    }
    return of(factors == MmaType.TF32 ? 8 : 16, HOPPER_FRACTION, HOPPER_ZERO, HOPPER_HALF_ZERO, half);
  }

  /** {@code tcgen05.mma} of the kinds tf32, f16 and f8f6f4, without block scales. */
  public static DotModel blackwell(MmaType factors, boolean half) {
    int block = switch (factors.bits()) {
      case 32 -> 8;
      case 16 -> 16;
      default -> 32;
    };
    return of(block, HOPPER_FRACTION, HOPPER_ZERO, HOPPER_ZERO, half);
  }
}
