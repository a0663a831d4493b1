package tilewright.kernels.attention.quantization;

import java.util.Locale;

/** The rows of a head that share a factor, and where the factor comes from. */
public enum Scaling {
  /** A block of rows, by the largest magnitude that its CTA finds. */
  BLOCK,
  /** All rows of a head, by the largest magnitude that {@link HeadMaximum} has left in "Amax" (B,H). */
  HEAD,
  /** All rows of a head, by the factors that the caller gives in "Factor" (B,H); strides of 0 give one for all. */
  GIVEN;

  /** The name on the command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
