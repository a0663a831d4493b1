package tilewright.kernels.attention.backward;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.tiled.TiledCopy;

/** The copies of a block's K and V, and of Q and dO of the tiles that see it, to shared memory; of dK and dV back. */
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
    ahead = block.walk(config.walk());
    stage = k.variable(k.constant(config.shape().stages() - 1), config.shape().stages() - 1);
  }

  /** Begins to copy K, V and the first tile, where there is one. */
  void begin() {
    copy(tensors.keys(block), 0, config.shape().tileD(), tiles.key(), k.constant(0));
    copy(tensors.values(block), 1, config.shape().tileDv(), tiles.value(), k.constant(0));
    copyTile(k.constant(0));
  }

  /**
   * Waits for the next tile of the walk.
   *
   * @return the stage that Q and dO are in
   */
  I32 await() {
    CpAsync.commit(k);
    CpAsync.waitFor(k, 0);
    k.barrier();
    if (config.shape().stages() > 1) stage.set(k.constant(1).minus(stage.value()));
    return stage.value();
  }

  /**
   * Copies the tile behind tile {@code i} while the last products of this one are computed.
   *
   * @param ofOthers a product that reads neither Q nor dO
   * @param last the last product that reads Q or dO, ahead of the copy where it goes to their place
   */
  void behind(I32 i, Runnable ofOthers, Runnable last) {
    boolean inPlace = config.shape().stages() == 1;
    if (inPlace) {
      last.run();
      k.barrier();
    }
    copyNext(i, inPlace ? stage.value() : k.constant(1).minus(stage.value()).settled());
    ofOthers.run();
    if (!inPlace) last.run();
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

  /** Waits until no thread reads K and V any more. */
  void end() {
    k.barrier();
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
