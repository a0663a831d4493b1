package tilewright.kernel.collective;

/**
 * The choices that a {@link RowShape} leaves open; 0 leaves a choice to the shape.
 *
 * @param threads of a row in a CTA
 * @param block threads of a CTA whose rows have at most a warp each
 * @param each rows that a thread has at once
 * @param runs that a thread has of a row, about
 * @param cluster CTAs of a row
 * @param blocks CTAs that are to fit on an SM, which limits registers
 * @param vector neighbours that an access moves at most; else 16 bytes of them
 * @param beside rows at most side by side in a CTA that has them alone, where a row has more than a warp
 * @param kept accesses of 16 bytes at most whose values stay in registers, where shared memory has room for the others
 */
public record RowTuning(int threads, int block, int each, int runs, int cluster, int blocks, int vector, int beside,
    int kept) {
  /** Nothing chosen. */
  public static final RowTuning NONE = new RowTuning(0, 0, 0, 0, 0, 0);

  /** A tuning with the widest accesses, and with a CTA for each row of more than a warp. */
  public RowTuning(int threads, int block, int each, int runs, int cluster, int blocks) {
    this(threads, block, each, runs, cluster, blocks, 0, 0, 0);
  }

  /** Returns this tuning with {@code other} threads per row, all in one CTA. */
  public RowTuning withThreads(int other) {
    return new RowTuning(other, block, each, runs, 1, blocks, vector, beside, kept);
  }

  /** Returns this tuning with about {@code other} runs of a row per thread. */
  public RowTuning withRuns(int other) {
    return new RowTuning(threads, block, each, other, cluster, blocks, vector, beside, kept);
  }

  /** Returns this tuning with at most {@code other} neighbours per access. */
  public RowTuning withVector(int other) {
    return new RowTuning(threads, block, each, runs, cluster, blocks, other, beside, kept);
  }

  /** Returns this tuning with {@code other} wide rows side by side in a CTA. */
  public RowTuning withBeside(int other) {
    return new RowTuning(threads, block, each, runs, cluster, blocks, vector, other, kept);
  }

  /** Returns this tuning with at most {@code other} accesses in registers. */
  public RowTuning withKept(int other) {
    return new RowTuning(threads, block, each, runs, cluster, blocks, vector, beside, other);
  }

  /** Returns this tuning with room for {@code other} CTAs on an SM. */
  public RowTuning withBlocks(int other) {
    return new RowTuning(threads, block, each, runs, cluster, other, vector, beside, kept);
  }

  /** Returns this tuning with every row in one CTA. */
  public RowTuning inOneBlock() {
    return withThreads(threads);
  }
}
