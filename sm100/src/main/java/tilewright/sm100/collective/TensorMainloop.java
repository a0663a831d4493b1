package tilewright.sm100.collective;

import tilewright.async.collective.Pipeline;
import tilewright.kernel.I32;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;

/** How a tile of C comes about in Tensor Memory, seen from both sides of a ring of stages in shared memory. */
public interface TensorMainloop {

  /** Columns of Tensor Memory that it needs beside the accumulators. */
  int columns();

  /** Takes these columns. */
  void take(TensorMemory memory);

  /** One thread copies what this CTA's part of the tile at (m, n) is made of. */
  void produce(Pipeline.Cursor stage, I32 m, I32 n, I32 batch);

  /** One thread of the group's first CTA multiplies, and leaves the multiplications under way. */
  void multiply(Pipeline.Cursor stage, TensorMemoryTile sums);
}
