package tilewright.kernel;

/** What CTAs can have, by GPU. */
public final class CtaLimits {
  private static final int KIB = 1024;

  private CtaLimits() {}

  /**
   * Returns the bytes that a CTA can have, static and dynamic together: "Technical Specifications per Compute
   * Capability" in NVIDIA's CUDA C++ Programming Guide.
   *
   * @param capability the GPU's compute capability times ten, such as 90
   */
  public static int sharedBytes(int capability) {
    return KIB * switch (capability) {
      case 80, 87 -> 163;
      case 86, 89, 120, 121 -> 99;
      default -> capability >= 90 ? 227 : 48;
    };
  }
}
