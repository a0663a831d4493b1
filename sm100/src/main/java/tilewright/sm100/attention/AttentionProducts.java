package tilewright.sm100.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/** The two GEMMs of attention, S = Q·Kᵀ and O += P·V, as the thread of the MMA warp issues them. */
interface AttentionProducts {

  /** Prepares to multiply a tile of Q that has arrived. */
  default void takeQueries(I32 tile) {}

  /** Prepares to multiply a stage of K that has arrived, once no product reads the one before. */
  default void takeKeys(I32 stage) {}

  /** Prepares to multiply a stage of V that has arrived, once no product reads the one before. */
  default void takeValues(I32 stage) {}

  /**
   * S = Q·Kᵀ of a tile.
   *
   * @param part number of the block among those that share scales
   */
  void multiplyKeys(I32 tile, I32 stage, I32 part);

  /**
   * O += P·V of a tile, whose P is complete once {@code awaitRest} has run.
   *
   * @param part number of the block among those that share scales
   * @param more false for O = P·V
   */
  void multiplyValues(I32 tile, I32 stage, I32 part, Pred more, Runnable awaitRest);
}
