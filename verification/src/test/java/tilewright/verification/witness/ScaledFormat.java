package tilewright.verification.witness;

import java.util.Random;

/** The formats of block-scaled products, with numbers whose sums a single holds exactly. */
enum ScaledFormat {
  MXF8(8, 32) {
    @Override
    double element(int bits, boolean left) {
      // E4M3 by E5M2.
      int fraction = left ? 3 : 2;
      int bias = left ? 7 : 15;
      double significand = 1 + (bits & (1 << fraction) - 1) / (double) (1 << fraction);
      return (bits & 0x80) != 0 ? -magnitude(significand, bits, fraction, bias)
          : magnitude(significand, bits, fraction, bias);
    }

    private static double magnitude(double significand, int bits, int fraction, int bias) {
      return Math.scalb(significand, ((bits & 0x7F) >> fraction) - bias);
    }

    @Override
    int randomElement(Random random, boolean left) {
      int exponent = (left ? 7 : 15) + random.nextInt(3) - 1;
      return random.nextInt(2) << 7 | exponent << (left ? 3 : 2) | random.nextInt(left ? 8 : 4);
    }
  },
  MXF4(4, 32),
  NVF4(4, 16) {
    @Override
    double scale(int bits) {
      return Math.scalb(1 + (bits & 7) / 8.0, (bits >> 3) - 7);
    }

    @Override
    int randomScale(Random random) {
      return 6 + random.nextInt(3) << 3 | 2 * random.nextInt(4);
    }
  };

  private static final double[] E2M1 = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

  private final int bits;
  private final int block;

  ScaledFormat(int bits, int block) {
    this.bits = bits;
    this.block = block;
  }

  /** Bits of an element. */
  int bits() {
    return bits;
  }

  /** Elements that share a scale. */
  int block() {
    return block;
  }

  String entry() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /** @param left whether it belongs to A */
  double element(int bits, boolean left) {
    return (bits & 8) != 0 ? -E2M1[bits & 7] : E2M1[bits & 7];
  }

  int randomElement(Random random, boolean left) {
    return random.nextInt(16);
  }

  /** UE8M0 unless overridden. */
  double scale(int bits) {
    return Math.scalb(1.0, bits - 127);
  }

  int randomScale(Random random) {
    return 125 + random.nextInt(5);
  }
}
