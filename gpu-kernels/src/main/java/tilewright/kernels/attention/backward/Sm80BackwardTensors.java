package tilewright.kernels.attention.backward;

import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/** The SM80 kernel's tensors in global memory, and their parts of a block of keys or a tile of queries. */
final class Sm80BackwardTensors {
  private final Scope k;
  private final Sm80BackwardConfig config;
  private final GlobalTensor q;
  private final GlobalTensor dO;
  private final GlobalTensor key;
  private final GlobalTensor value;
  private final GlobalTensor dK;
  private final GlobalTensor dV;
  private final GlobalTensor logarithms;
  private final GlobalTensor sums;
  private final GlobalTensor accumulators;
  /** The blocks' turns to add to a tile of dQ, where the order is fixed. */
  private final Optional<DeterministicOrder.Turns> turns;
  private final QueryTiles slots;
  private final F32 scale;
  private final KeyBlocks blocks;

  Sm80BackwardTensors(Scope k, Sm80BackwardConfig config) {
    var shape = config.shape();
    this.k = k;
    this.config = config;
    q = k.global(config.ofQueries("Q", "D"));
    dO = k.global(config.ofQueries("dO", "Dv"));
    key = k.global(config.ofKeys("K"));
    value = k.global(config.ofValues("V"));
    dK = k.global(config.ofKeys("dK"));
    dV = k.global(config.ofValues("dV"));
    logarithms = k.global(GradientWorkspace.logarithms());
    sums = k.global(GradientWorkspace.sums());
    accumulators = k.global(GradientWorkspace.accumulators(shape.tileM(), shape.tileD()));
    turns = config.deterministic() ? Optional.of(config.order().turns(k)) : Optional.empty();
    slots = QueryTiles.of(k, shape.tileM(), q.extent(0), config.packed());
    blocks = KeyBlocks.of(slots, config.blocks(), q.extent(2), key::extent);
    scale = k.scalar("scale");
    // A grid of nothing has one CTA all the same.
    k.leave(blocks.count().lessThan(1));
  }

  F32 scale() {
    return scale;
  }

  /** The block that this CTA works on. */
  KeyBlock block() {
    return blocks.block(k.blockX());
  }

  /** The block with addresses that are computed from here on, rather than held in registers through the loop. */
  KeyBlock blockAgain() {
    return blocks.block(k.blockX().settled());
  }

  /** A tile's rows of Q. */
  GlobalTensor queries(KeyBlock.Tile tile) {
    return ofTile(q, tile);
  }

  /** A tile's rows of dO. */
  GlobalTensor outputGradients(KeyBlock.Tile tile) {
    return ofTile(dO, tile);
  }

  GlobalTensor keys(KeyBlock block) {
    return ofBlock(key, 0, block);
  }

  GlobalTensor values(KeyBlock block) {
    return ofBlock(value, 1, block);
  }

  GlobalTensor keyGradients(KeyBlock block) {
    return ofBlock(dK, 0, block);
  }

  GlobalTensor valueGradients(KeyBlock block) {
    return ofBlock(dV, 1, block);
  }

  /** A tile's slot in the workspace. */
  I32 slot(KeyBlock.Tile tile) {
    return slots.slot(tile);
  }

  /** LSE · log₂ e of a tile's row. */
  F32 logarithm(KeyBlock.Tile tile, I32 row) {
    return logarithms.at(slot(tile).times(config.shape().tileM()).plus(row), tile.head()).load();
  }

  /** D = rowsum(O ∘ dO) of a tile's row. */
  F32 sum(KeyBlock.Tile tile, I32 row) {
    return sums.at(slot(tile).times(config.shape().tileM()).plus(row), tile.head()).load();
  }

  /** A tile's accumulators of dQ: (elements, 1, 1). */
  GlobalTensor accumulators(KeyBlock.Tile tile) {
    return accumulators.from(k.constant(0), slot(tile), tile.head());
  }

  Optional<DeterministicOrder.Turns> turns() {
    return turns;
  }

  private GlobalTensor ofTile(GlobalTensor tensor, KeyBlock.Tile tile) {
    var zero = k.constant(0);
    return tensor.from(zero, zero, tile.head(), entry(tile.batch())).covered(2).covered(3)
        .part(0, tile.sequence().firstQuery(), tile.sequence().queries())
        .from(tile.number().times(config.shape().tileM()), zero, zero, zero);
  }

  /** A block's rows of a tensor; {@code along} is the mode that counts keys. */
  private GlobalTensor ofBlock(GlobalTensor tensor, int along, KeyBlock block) {
    var zero = k.constant(0);
    return tensor.from(zero, zero, block.headOfKeys(), entry(block.batch())).covered(2).covered(3)
        .part(along, block.sequence().firstKey(), block.sequence().keys())
        .from(along == 0 ? block.firstKey() : zero, along == 1 ? block.firstKey() : zero, zero, zero);
  }

  private I32 entry(I32 batch) {
    return config.packed() ? k.constant(0) : batch;
  }
}
