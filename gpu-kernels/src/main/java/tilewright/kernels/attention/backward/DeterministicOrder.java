package tilewright.kernels.attention.backward;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.BlockInfo;

/**
 * The order in which blocks of keys add to a tile of dQ, where every run has to give the same bits: that of the launch.
 * A CTA waits for CTAs only that were launched before it, so that there is no deadlock, however few run at a time.
 *
 * <ul>
 * <li>Where later keys are seen by later queries only, the last block is launched first (FlashAttention-3, tile
 * scheduler "SPT"). Blocks begin at their diagonals, so those that begin together arrive at a tile one after the other.
 * <li>Else the first block is launched first. All begin at the first tile, so a block that begins together with the
 * one before it stays one tile behind; blocks of several heads side by side keep that short. (If block n began at tile
 * n, no CTA would wait, but for blocks that are launched later too: all of them would have to run at once.)
 * </ul>
 *
 * @param tileM queries of a tile; {@code tileN} keys of a block
 * @param ctas that share a block: each adds rows of its own to a tile, once it is the block's turn
 */
public record DeterministicOrder(Band band, int tileM, int tileN, int ctas) {

  /** The order of blocks that have one CTA each. */
  public DeterministicOrder(Band band, int tileM, int tileN) {
    this(band, tileM, tileN, 1);
  }

  /** Whether the last block of a sequence is launched first. */
  public boolean descends() {
    return band.right().isPresent();
  }

  /**
   * The fewest heads whose blocks have to run side by side where all blocks begin at the first tile. Blocks of a head
   * follow each other through its tiles, and those that the GPU runs at a time must not reach beyond the last tile.
   *
   * @param queries of a head
   * @param lag tiles that a block stays behind the one before it
   * @param multiprocessors of the GPU, each of which runs a block at a time
   */
  public int headsForLag(int queries, int lag, int multiprocessors) {
    return Math.ceilDiv(lag * multiprocessors, Math.max(1, Math.ceilDiv(queries, tileM)));
  }

  /** The number of blocks that add to a tile before this one. */
  public I32 before(KeyBlock block, KeyBlock.Tile tile) {
    if (block.list().isPresent()) return block.list().get().turn(tile.place());
    // Settled: registers are short where the turn comes.
    var blocks = BlockInfo.of(band, tile.sequence().settled(), tile.number().settled().times(tileM), tileM, tileN);
    var number = block.number().settled();
    return descends() ? blocks.end().plus(-1).minus(number) : number.minus(blocks.first());
  }

  /** The turns of a launch: a count for each tile of the CTAs that have added to it. */
  public Turns turns(Scope k) {
    return new Turns(k.global(GradientWorkspace.semaphores()));
  }

  /** The blocks' turns. */
  public final class Turns {
    private final GlobalTensor semaphores;

    private Turns(GlobalTensor semaphores) {
      this.semaphores = semaphores;
    }

    /** Waits, in one thread, until all blocks before this one have added to a tile; a barrier lets the others add. */
    public void await(KeyBlock block, KeyBlock.Tile tile, I32 slot) {
      semaphores.at(slot, tile.head()).await(before(block, tile).times(ctas));
    }

    /** Lets the next block add to a tile, in one thread, behind a barrier that follows the additions of the others. */
    public void release(KeyBlock.Tile tile, I32 slot) {
      semaphores.at(slot, tile.head()).release(1);
    }
  }
}
