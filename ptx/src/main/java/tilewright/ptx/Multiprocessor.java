package tilewright.ptx;

/**
 * What an SM holds: "Technical Specifications per Compute Capability" in NVIDIA's CUDA C++ Programming Guide.
 *
 * @param warps at a time
 * @param ctas at a time
 * @param sharedBytes of all its CTAs, with those that the system takes of each
 */
public record Multiprocessor(int warps, int ctas, int sharedBytes) {
  /** Bytes of shared memory that the system takes of each CTA. */
  public static final int RESERVED_BYTES = 1024;
  private static final int KIB = 1024;
  private static final int LANES = 32;

  /**
   * Returns the SM of a GPU; of one that is not known, that of the newest known before it.
   *
   * @param capability the GPU's compute capability times ten, such as 90
   */
  public static Multiprocessor of(int capability) {
    return switch (capability) {
      case 86 -> new Multiprocessor(48, 16, 100 * KIB);
      case 87 -> new Multiprocessor(48, 16, 164 * KIB);
      case 89, 120, 121 -> new Multiprocessor(48, 24, 100 * KIB);
      default -> new Multiprocessor(64, 32, (capability < 90 ? 164 : 228) * KIB);
    };
  }

  /** Returns the threads that there is room for at a time. */
  public int threads() {
    return warps * LANES;
  }

  /** Returns the CTAs with this number of threads that there is room for at a time, by their threads alone. */
  public int ctasOf(int threads) {
    return Math.min(ctas, threads() / threads);
  }

  /** Returns the bytes of shared memory that a CTA can have, static and dynamic together. */
  public int ctaSharedBytes() {
    return sharedBytes - RESERVED_BYTES;
  }
}
