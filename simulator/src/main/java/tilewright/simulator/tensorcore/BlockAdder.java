package tilewright.simulator.tensorcore;

/**
 * Aligns one block of products and the old sums to the largest exponent among them, cuts off what lies below the kept
 * bits, and adds: the part of a tensor core's work that takes the time. A row of outputs at a time.
 */
public interface BlockAdder {
  /** Largest exponents between these keep scales, products that matter and results normal FP32 numbers. */
  int LEAST = -60;

  int MOST = 100;

  /** Whatever is below has no term but zeros. */
  int ALL_ZERO = -1500;

  /**
   * Adds the products of {@code count} steps of depth from {@code first} on for one row of the tile, and leaves the
   * tile's scale and, for every {@code together} steps, its totals.
   *
   * @param offset the exponent field of the scale for largest exponent zero
   * @param together products whose sum an int holds
   * @param least the least exponent of the accumulators' format
   * @param floor the least of the largest exponents that may be added here
   * @return false if some output has an infinity, a NaN or a largest exponent out of range: nothing holds then
   */
  boolean add(TensorTile tile, int row, int width, int first, int count, int together, int offset, int least,
      int floor);

  /** The fastest that this JVM has: with vector instructions where the incubator module was asked for. */
  static BlockAdder fastest() {
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent() ? new VectorBlockAdder()
        : new PlainBlockAdder();
  }
}
