package tilewright.async.collective;

import tilewright.async.atom.Mbarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;

/**
 * An operand's tiles (rows, K, stages) in shared memory, which tensor copies fill, or threads. A tile's rows may
 * interleave two modes of the operand, the second of which follows K.
 */
public sealed interface OperandTile permits TensorTile, FetchedTile {

  SharedTensor shared();

  /** The whole operand's extent. */
  I32 extent(int mode);

  /** Columns of the tile. */
  int columns();

  /** Bytes of a stage that land on a barrier. */
  int bytes();

  /** Prefetches the operand's tensor map, if it has one, ahead of the first copies; one thread calls it. */
  void prefetchMap(Scope k);

  /** Fills this block's share of the rows of a stage, for all blocks of the cluster; the others fill the rest. */
  void loadShare(Scope k, Share share, I32 stage, Mbarrier barrier, I32... coordinate);
}
