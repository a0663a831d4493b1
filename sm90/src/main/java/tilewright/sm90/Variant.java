package tilewright.sm90;

/**
 * The choices that make a GEMM kernel, each apart from the others.
 *
 * @param consumers how the warpgroups that multiply share the CTA's tiles
 * @param orientation which operand is wgmma's A
 * @param order how tiles are dealt out to CTAs
 * @param loading how operands reach shared memory
 */
public record Variant(Consumers consumers, Orientation orientation, Order order, Loading loading) {
  /** The plain kernel. */
  public static final Variant PLAIN =
      new Variant(Consumers.COOPERATIVE, Orientation.STRAIGHT, Order.PERSISTENT, Loading.TMA);

  /** How the warpgroups that multiply share the CTA's tiles (CUTLASS, KernelTmaWarpSpecialized…). */
  public enum Consumers {
    /** Each has rows of the same tile. */
    COOPERATIVE,
    /** Each has tiles of its own: one stores while another multiplies. */
    PING_PONG
  }

  /** The operand that is wgmma's A, whose rows come 64 at a time. */
  public enum Orientation {
    /** A itself. */
    STRAIGHT,
    /** B, for Cᵀ = B·Aᵀ: few rows of A become few columns. */
    TRANSPOSED
  }

  /** How tiles are dealt out to CTAs. */
  public enum Order {
    /** Tiles are dealt out in turns. */
    PERSISTENT,
    /** Tiles are dealt out in turns, and loaded wave by wave, so that L2 has what several CTAs load. */
    WAVE_SYNCHRONISED,
    /** Tiles are dealt out in turns; those that do not fill a wave are cut along k, so that more CTAs have a part. */
    STREAM_K
  }

  public Variant with(Consumers other) {
    return new Variant(other, orientation, order, loading);
  }

  public Variant with(Orientation other) {
    return new Variant(consumers, other, order, loading);
  }

  public Variant with(Order other) {
    return new Variant(consumers, orientation, other, loading);
  }

  public Variant with(Loading other) {
    return new Variant(consumers, orientation, order, other);
  }
}
