package tilewright.sm100;

/** How the power of two that scales a block of an MX format follows from the block's largest magnitude. */
public enum ScaleRule {
  /**
   * The largest magnitude's exponent becomes the format's largest exponent; what is then beyond the format's largest
   * number becomes that number (OCP Microscaling Formats 1.0, section 6.3).
   */
  OCP,
  /** The least power of two with which nothing is beyond the format's largest number (NVIDIA, Transformer Engine). */
  COVERING
}
