package tilewright.sm90.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.tiled.Fragment;

/** Stores a warpgroup's rows of O and their logarithms. */
sealed interface AttentionEpilogue permits StagedEpilogue, PartialEpilogue {
  /**
   * Divides sums by their rows' sums of exponentials and stores them.
   *
   * @param factor of all sums, if there is one
   */
  void store(Fragment sums, List<OnlineSoftmax.Total> totals, Optional<F32> factor, AttentionTiles.Tile tile);

  /** Waits until what was stored has been read from shared memory. */
  void drain();

  /** Divides sums by their rows' sums of exponentials. */
  static void divide(Scope k, FragmentRows rows, Fragment sums, List<OnlineSoftmax.Total> totals,
      Optional<F32> factor) {
    rows.scale(k, sums, totals.stream().map(OnlineSoftmax.Total::inverse)
        .map(inverse -> factor.map(inverse::times).orElse(inverse)).toList());
  }
}
