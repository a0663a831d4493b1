package tilewright.sm90.rows;

import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;

/**
 * How rows are streamed.
 *
 * @param cluster CTAs that share a row, side by side
 * @param warps of a CTA that compute
 * @param stages slices of rows in a CTA's ring
 * @param blocks CTAs of a multiprocessor
 */
record RowStreamConfig(int cluster, int warps, int stages, int blocks) {
  private static final int WARP = 32;
  private static final int ACCESS_BYTES = 16;
  private static final int MOST_WARPS = 16;
  private static final int MOST_ACCESSES = 8;
  private static final int MOST_STAGES = 8;
  private static final int MULTIPROCESSORS = 132;
  /** Of a multiprocessor, and what of a CTA's is no slice: barriers, summaries, row numbers, and what CUDA takes. */
  private static final int SHARED_BYTES = 228 << 10;
  private static final int OTHER_BYTES = 7 << 10;

  /** For rows of so many columns that a cluster of that size shares; none where a warp's accesses do not divide it. */
  static Optional<RowStreamConfig> of(ElementType type, int columns, int cluster, int blocks) {
    long bytes = (long) columns * type.bytes();
    if (columns == 0 || bytes % ((long) cluster * WARP * ACCESS_BYTES) != 0) return Optional.empty();
    int slice = Math.toIntExact(bytes / cluster);
    int accesses = slice / (WARP * ACCESS_BYTES);
    int stages = Math.min(MOST_STAGES, (SHARED_BYTES / blocks - OTHER_BYTES) / slice);
    if (stages < 2) return Optional.empty();
    return IntStream.rangeClosed(1, MOST_WARPS).map(i -> MOST_WARPS + 1 - i)
        .filter(warps -> Integer.bitCount(warps) == 1 && accesses % warps == 0 && accesses / warps <= MOST_ACCESSES)
        .mapToObj(warps -> new RowStreamConfig(cluster, warps, stages, blocks)).findFirst();
  }

  int threads() {
    return WARP * warps;
  }

  /** CTAs for so many rows: as many clusters as there is room for, at least one. */
  int grid(int rows) {
    return Math.clamp(rows, 1, MULTIPROCESSORS * blocks / cluster) * cluster;
  }
}
