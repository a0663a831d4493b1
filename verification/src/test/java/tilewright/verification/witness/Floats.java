package tilewright.verification.witness;

import java.util.Random;

/** Inputs that every Java makes the same from a seed. */
final class Floats {
  private Floats() {}

  /** Whole numbers from -most to most. */
  static float[] whole(int count, int most, long seed) {
    var random = new Random(seed);
    var values = new float[count];
    for (int i = 0; i < count; i++) values[i] = random.nextInt(2 * most + 1) - most;
    return values;
  }

  /** Numbers of either sign and of several magnitudes, all bits of the significand used. */
  static float[] mixed(int count, long seed) {
    var random = new Random(seed);
    var values = new float[count];
    for (int i = 0; i < count; i++) values[i] = Math.scalb(random.nextFloat() - 0.5f, random.nextInt(6) - 3);
    return values;
  }

  /** The upper halves of the bits: the numbers cut off to bf16. */
  static short[] bf16(float[] values) {
    var halves = new short[values.length];
    for (int i = 0; i < values.length; i++) halves[i] = (short) (Float.floatToRawIntBits(values[i]) >>> 16);
    return halves;
  }
}
