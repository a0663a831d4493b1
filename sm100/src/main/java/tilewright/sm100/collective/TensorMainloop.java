package tilewright.sm100.collective;

import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.WorkTile;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;

/** How a tile of C comes about in Tensor Memory, seen from both sides of a ring of stages in shared memory. */
public interface TensorMainloop {

  /** Columns of Tensor Memory that it needs beside the accumulators. */
  int columns();

  /** Takes these columns. */
  void take(TensorMemory memory);

  /** The steps of a tile: all of k. */
  WorkTile.KRange range();

  /** Loads this CTA's part of a tile's operands, in one thread. */
  void load(Pipeline.Cursor stage, WorkTile tile);

  /** Multiplies a tile in one thread of the group's first CTA, and leaves the multiplications under way. */
  void multiply(Pipeline.Cursor stage, WorkTile tile, TensorMemoryTile sums);
}
