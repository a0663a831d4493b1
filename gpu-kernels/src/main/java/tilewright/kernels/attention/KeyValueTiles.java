package tilewright.kernels.attention;

import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.collective.attention.BlockOrder;
import tilewright.kernel.tiled.TiledCopy;

/** The order in which tiles of Q, K and V are copied to shared memory and used there. */
abstract sealed class KeyValueTiles permits KeyValueTiles.DoubleBuffered, ChunkedTiles, RingTiles {
  final Copies copies;

  KeyValueTiles(Copies copies) {
    this.copies = copies;
  }

  /**
   * One step of a block of keys: a chunk of one of the two products, whose operands have landed.
   *
   * @param scores whether of S = Q·Kᵀ, else of O = P·V
   * @param chunk of the head dimension, and for O of keys; {@code last} of the product
   * @param stage of the tile of K or V; {@code queryStage} of that of Q
   */
  record Step(boolean scores, int chunk, boolean last, I32 stage, I32 queryStage) {}

  /**
   * Q, K or V of one head.
   *
   * @param global from the tile's origin on: (rows, head dimension, 1, 1), or (head dimension, rows, 1, 1)
   * @param rowMode the mode that counts queries or keys
   * @param across the mode along which no neighbours run
   */
  record Operand(GlobalTensor global, int rowMode, int across, TiledCopy copy, SharedTensor tile) {
    /** Rows of a tile. */
    int rows() {
      return Math.toIntExact(tile.layout().shape().mode(rowMode).size());
    }

    /** The operand with one address per tile, from which the others are added up: fewer registers. */
    Operand climbing() {
      return new Operand(global.climbing(across, copy.step(across)), rowMode, across, copy, tile);
    }

    /**
     * Copies a tile.
     *
     * @param row its first row; {@code column} of the head dimension its first column
     * @param covered whether the sequence surely has all of its rows
     */
    void copy(I32 thread, I32 row, I32 column, I32 stage, boolean covered) {
      var zero = row.constant(0);
      var from = rowMode == 0 ? global.from(row, column, zero, zero) : global.from(column, row, zero, zero);
      copy.copy(thread, covered ? from.covered(rowMode) : from, tile, stage, zero, zero);
    }
  }

  /** The copies of a CTA's Q, K and V, and of the scales of blocks. */
  record Copies(Scope scope, I32 thread, AttentionVariant variant, Operand q, Operand k, Operand v,
      Optional<BlockScales.OfTile> scales) {

    /** Copies a chunk of Q. */
    void queries(int chunk, int stage) {
      var zero = scope.constant(0);
      var column = scope.constant(chunk * variant.tiling().chunk());
      if (variant.tuned()) q.copy(thread, zero, column, scope.constant(stage), false);
      else q.climbing().copy(here(), zero, column, scope.constant(stage), false);
    }

    /** Copies a chunk of block {@code n} of K. */
    void keys(I32 n, int chunk, I32 stage, boolean covered) {
      block(k, n.settled().times(k.rows()), chunk * variant.tiling().chunk(), stage, covered);
      scales.ifPresent(all -> all.copyKeys(n, stage));
    }

    /** Copies a chunk of block {@code n} of V: chunks of keys follow each other, then those of columns. */
    void values(I32 n, int chunk, I32 stage, boolean covered) {
      var tiling = variant.tiling();
      int column = chunk / tiling.keyChunks() * tiling.valueChunk();
      int key = chunk % tiling.keyChunks() * tiling.valueKeys();
      block(v, n.settled().times(tiling.tileN()).plus(key), column, stage, covered);
      scales.ifPresent(all -> all.copyValues(n, stage));
    }

    private I32 here() {
      return variant.rematerialisation().forCopies(scope, thread, variant.tiling()).settled();
    }

    private void block(Operand operand, I32 row, int column, I32 stage, boolean covered) {
      // Registers are short: the addresses are computed here, and no pointer is held through the loop.
      operand.climbing().copy(here(), row, scope.constant(column), stage, covered && variant.coversBlocks());
    }
  }

  /**
   * Copies Q and what is needed first of the first block of keys.
   *
   * @param holdQueries loads Q to registers, if the variant has it there
   */
  abstract void begin(BlockOrder blocks, Runnable holdQueries);

  /**
   * Goes through the steps of block {@code n} of keys; {@code next} follows it where there is {@code more}.
   *
   * @param whole whether the sequence surely has all of block {@code n}
   */
  abstract void visit(I32 n, boolean whole, I32 next, Pred more, Consumer<Step> compute);

  /** Orders a warp's reads of its rows of Q before it writes rows of O to their place. */
  void end() {}

  /** Whether other warps may still read the staging memory of O when a warp is done with the last step. */
  boolean stagingIsRead() {
    return false;
  }

  /** Waits for the copies that this thread started and those of the others. */
  final void settle() {
    var k = copies.scope;
    CpAsync.commit(k);
    CpAsync.waitFor(k, 0);
    k.barrier();
  }

  final void holdQueries(Runnable hold) {
    if (!copies.variant.queryInRegisters()) return;
    settle();
    hold.run();
  }

  /** Two stages of K and V: while one block is worked on, both operands of the next are copied. */
  static final class DoubleBuffered extends KeyValueTiles {
    private final I32.Variable stage;

    DoubleBuffered(Copies copies) {
      super(copies);
      var k = copies.scope;
      stage = k.variable(k.constant(1), 1);
    }

    @Override
    void begin(BlockOrder blocks, Runnable holdQueries) {
      copies.queries(0, 0);
      copy(blocks.begin(), copies.scope.constant(0), false);
      holdQueries(holdQueries);
    }

    @Override
    void visit(I32 n, boolean whole, I32 next, Pred more, Consumer<Step> compute) {
      var k = copies.scope;
      settle();
      var free = stage.value();
      k.when(more, () -> copy(next, free, true));
      stage.set(k.constant(1).minus(free));
      compute.accept(new Step(true, 0, true, stage.value(), k.constant(0)));
      compute.accept(new Step(false, 0, true, stage.value(), k.constant(0)));
    }

    private void copy(I32 n, I32 stage, boolean covered) {
      copies.keys(n, 0, stage, covered);
      copies.values(n, 0, stage, covered);
    }

    @Override
    void end() {
      // The last barrier is before the last block's reads of Q.
      if (!copies.variant.queryInRegisters()) copies.scope.warpBarrier();
    }
  }
}
