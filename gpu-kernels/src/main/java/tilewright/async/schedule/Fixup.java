package tilewright.async.schedule;

import java.util.function.Supplier;
import tilewright.kernel.tiled.Fragment;

/**
 * Brings the accumulators of a tile together that several CTAs have summed over ranges of k (CUTLASS, fixup). Parts are
 * added in the order of k, so that every run has the same bits.
 */
public interface Fixup {

  /** The epilogue of one warpgroup's accumulators of a tile. */
  interface Output {
    /** Starts to read what the epilogue needs, while the mainloop still runs. */
    void prefetch();

    /** Applies the epilogue to the accumulators and stores the result. */
    void store(Fragment accumulators);
  }

  /**
   * Runs the mainloop of a tile, and the epilogue in the CTA that finishes the tile.
   *
   * @param mainloop traced once
   */
  void complete(WorkTile tile, Output output, Supplier<Fragment> mainloop);

  /** The fix-up where every CTA sums over all of k. */
  static Fixup none() {
    return (tile, output, mainloop) -> {
      output.prefetch();
      output.store(mainloop.get());
    };
  }
}
