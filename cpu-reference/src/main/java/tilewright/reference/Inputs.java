package tilewright.reference;

import java.util.SplittableRandom;
import tilewright.numerics.ElementType;

/** Inputs to compare and to measure on. What they are changes a GPU's clock, so they are always drawn alike. */
public final class Inputs {
  private static final double BYTE_DEVIATION = 32;

  private Inputs() {}

  /** Fills a tensor with normally distributed values of mean 0 and deviation 1 (of bytes 32), rounded to its type. */
  public static void normal(TensorView tensor, long seed) {
    var random = new SplittableRandom(seed);
    double deviation = tensor.type() == ElementType.I8 ? BYTE_DEVIATION : 1;
    for (long i = 0; i < tensor.size(); i++) tensor.set(i, deviation * random.nextGaussian());
  }
}
