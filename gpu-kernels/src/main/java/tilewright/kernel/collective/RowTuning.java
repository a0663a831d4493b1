package tilewright.kernel.collective;

/**
 * What may be chosen of a {@link RowShape}; 0 leaves it to the shape.
 *
 * @param threads of a row in a CTA
 * @param block threads of a CTA whose rows have at most a warp each
 * @param each rows that a thread has at once
 * @param cluster CTAs of a row
 * @param blocks CTAs that are to fit on a multiprocessor, which limits registers
 */
public record RowTuning(int threads, int block, int each, int cluster, int blocks) {
  /** Nothing chosen. */
  public static final RowTuning NONE = new RowTuning(0, 0, 0, 0, 0);

  /** With so many threads a row, all in one CTA. */
  public RowTuning withThreads(int other) {
    return new RowTuning(other, block, each, 1, blocks);
  }

  /** With every row in one CTA. */
  public RowTuning inOneBlock() {
    return withThreads(threads);
  }
}
