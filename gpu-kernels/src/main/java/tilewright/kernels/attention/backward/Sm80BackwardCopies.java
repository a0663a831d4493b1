package tilewright.kernels.attention.backward;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.tiled.TiledCopy;

/** The way of a block's K and V, and of Q and dO of the tiles that see it, to and from shared memory. */
final class Sm80BackwardCopies {
  private final Scope k;
  private final I32 thread;
  private final Sm80BackwardConfig config;
  private final Sm80BackwardTensors tensors;
  private final Sm80BackwardTiles tiles;
  private final KeyBlock block;
  private final KeyBlock.Walk ahead;
  private final I32.Variable stage;

  Sm80BackwardCopies(Scope k, I32 thread, Sm80BackwardConfig config, Sm80BackwardTensors tensors,
      Sm80BackwardTiles tiles, KeyBlock block) {
    this.k = k;
    this.thread = thread;
    this.config = config;
    this.tensors = tensors;
    this.tiles = tiles;
    this.block = block;
    ahead = block.walk();
    stage = k.variable(k.constant(config.shape().stages() - 1), config.shape().stages() - 1);
  }

  /** Begins to copy K, V and the first tile, where there is one. */
  void begin() {
    copy(tensors.keys(block), 0, config.shape().tileD(), tiles.key(), k.constant(0));
    copy(tensors.values(block), 1, config.shape().tileDv(), tiles.value(), k.constant(0));
    copyTile(k.constant(0));
  }

  /**
   * Waits for tile {@code i}, the next in the walk; where there are two stages, begins to copy the one after it.
   *
   * @return the stage that Q and dO are in
   */
  I32 await(I32 i) {
    CpAsync.commit(k);
    CpAsync.waitFor(k, 0);
    k.barrier();
    if (config.shape().stages() == 1) return k.constant(0);
    var free = stage.value().settled();
    copyNext(i, free);
    stage.set(k.constant(1).minus(free));
    return stage.value();
  }

  /** Ends the use of tile {@code i}; where there is one stage, begins to copy the one after it. */
  void release(I32 i) {
    if (config.shape().stages() > 1) return;
    k.barrier();
    copyNext(i, k.constant(0));
  }

  private void copyNext(I32 i, I32 to) {
    ahead.advance();
    k.when(i.plus(1).lessThan(block.count()), () -> copyTile(to));
  }

  private void copyTile(I32 to) {
    copy(tensors.queries(ahead.tile()), 0, config.shape().tileD(), tiles.q(), to);
    copy(tensors.outputGradients(ahead.tile()), 0, config.shape().tileDv(), tiles.dO(), to);
  }

  /** Copies a tile to shared memory; {@code along} is the mode of {@code from} that counts rows. */
  private void copy(GlobalTensor from, int along, int dim, SharedTensor to, I32 at) {
    var zero = k.constant(0);
    var copy = config.copy(k, dim, along == 0);
    copy.copy(thread.settled(), from.climbing(along, copy.step(along)), oriented(to, along), at, zero, zero);
  }

  /** Copies dK and dV from the places of K and V. */
  void storeGradients() {
    var again = tensors.blockAgain();
    copyBack(tiles.key(), tensors.keyGradients(again), 0, config.shape().tileD());
    copyBack(tiles.value(), tensors.valueGradients(again), 1, config.shape().tileDv());
  }

  private void copyBack(SharedTensor from, GlobalTensor to, int along, int dim) {
    var zero = k.constant(0);
    TiledCopy copy = config.copy(k, dim, along == 0);
    copy.copyBack(thread.settled(), oriented(from, along), zero, to, zero, zero);
  }

  private static SharedTensor oriented(SharedTensor tile, int along) {
    return along == 0 ? tile : Sm80BackwardTiles.transposed(tile);
  }
}
