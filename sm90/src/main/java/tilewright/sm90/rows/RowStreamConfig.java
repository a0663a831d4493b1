package tilewright.sm90.rows;

import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.Chip;
import tilewright.kernel.Warp;
import tilewright.numerics.ElementType;

/**
 * How rows are streamed.
 *
 * @param cluster CTAs that share a row, side by side
 * @param warps of a CTA that compute
 * @param stages slices of rows in a CTA's ring
 */
record RowStreamConfig(int cluster, int warps, int stages) {
  private static final int ACCESS_BYTES = 16;
  /** The fewest accesses of a thread to a slice, if there are warps enough. */
  private static final int LEAST_ACCESSES = 4;
  private static final int MOST_ACCESSES = 8;
  private static final int MOST_STAGES = 8;
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  /** Shared memory of a CTA, and the part of it that holds no slice but barriers, summaries and row numbers. */
  private static final int SHARED_BYTES = 227 << 10;
  private static final int OTHER_BYTES = 6 << 10;

  /**
   * For rows of so many columns that a cluster of that size shares; none where a warp's accesses do not divide its
   * slices, or two do not fit.
   *
   * @param mostWarps of a CTA that compute
   * @param ringBytes of a CTA, about
   */
  static Optional<RowStreamConfig> of(ElementType type, int columns, int cluster, int mostWarps, int ringBytes) {
    long bytes = (long) columns * type.bytes();
    if (columns == 0 || bytes % ((long) cluster * Warp.SIZE * ACCESS_BYTES) != 0) return Optional.empty();
    int slice = Math.toIntExact(bytes / cluster);
    int accesses = slice / (Warp.SIZE * ACCESS_BYTES);
    int stages = Math.clamp(Math.ceilDiv(ringBytes, slice), 2, MOST_STAGES);
    if ((long) stages * slice > SHARED_BYTES - OTHER_BYTES) return Optional.empty();
    return IntStream.iterate(mostWarps, warps -> warps > 0, warps -> warps / 2)
        .filter(warps -> accesses % warps == 0 && accesses / warps <= MOST_ACCESSES
            && (warps == 1 || accesses / warps >= Math.min(LEAST_ACCESSES, accesses)))
        .mapToObj(warps -> new RowStreamConfig(cluster, warps, stages)).findFirst();
  }

  int threads() {
    return Warp.SIZE * warps;
  }

  /** CTAs for so many rows: as many clusters as there is room for, at least one. */
  int grid(int rows) {
    return Math.clamp(rows, 1, MULTIPROCESSORS / cluster) * cluster;
  }
}
