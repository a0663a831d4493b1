package tilewright.simulator.core;

/**
 * How an architecture's tensor cores add up a dot product (truncated fused dot product and add; parameters as published
 * for MMA-Sim): terms are aligned to the largest exponent, cut to {@code fraction} bits below it, summed exactly, and
 * rounded once for each block of {@code block} products.
 *
 * @param block products added at a time; longer dot products chain blocks
 * @param fraction bits kept below the largest exponent
 * @param zeroF32 the exponent that zero terms count with, for f32 accumulators
 * @param zeroF16 the same for f16 accumulators
 */
record TensorModel(int block, int fraction, int zeroF32, int zeroF16) {
  private static final int HOPPER = 90;
  private static final int AMPERE = 80;

  static TensorModel of(int architecture) {
    if (architecture >= HOPPER) return new TensorModel(16, 25, -133, -22);
    if (architecture >= AMPERE) return new TensorModel(8, 24, -132, -21);
    throw new IllegalArgumentException("tensor cores of sm_" + architecture + " are not modelled: use 80 or newer");
  }
}
