package tilewright.sm100.attention.backward;

import java.util.Optional;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.QueryBlocks;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.backward.DeterministicOrder;
import tilewright.kernels.attention.backward.GradientWorkspace;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.kernels.attention.backward.QueryTiles;
import tilewright.numerics.ElementType;

/**
 * The tensors of the gradients, and their tiles in shared memory. dV leaves through the place of V, dK through that of
 * Q, which nothing reads any more by then.
 *
 * @param dS dSᵀ: (keys, queries, 1)
 * @param staging chunks of dQ: (queries, columns, stages)
 * @param accumulators of dQ: (elements, slots, heads)
 * @param slots of tiles of queries in the workspace
 * @param blocks of keys of all heads, in the order of the launch
 * @param packed places of blocks, where sequences are packed
 */
record BackwardTiles(Scope k, Sm100BackwardConfig config, TensorTile q, TensorTile key, TensorTile value,
    TensorTile dO, TensorTile dK, TensorTile dV, SharedTensor dS, SharedTensor staging, RowStatistics statistics,
    GlobalTensor accumulators, QueryTiles slots, AttentionTileScheduler blocks, Optional<PackedTiles> packed) {

  static BackwardTiles of(Scope k, Sm100BackwardConfig config) {
    var tensors = config.tensors();
    var key = TensorTile.of(k, tensors.k(), config.layoutK());
    var value = TensorTile.of(k, tensors.v(), config.layoutV());
    var q = TensorTile.of(k, tensors.q(), config.layoutQ());
    var dO = TensorTile.of(k, tensors.dO(), config.layoutDO());
    var dK = TensorTile.over(k, tensors.dK(), q.shared().under(config.layoutK()));
    var dV = TensorTile.over(k, tensors.dV(), value.shared());
    var dS = k.shared(config.type(), config.layoutDS());
    var staging = k.shared(ElementType.F32, config.layoutDQ());
    var slots = QueryTiles.of(k, Sm100BackwardConfig.QUERIES, q.extent(0), config.packed());
    var packed = config.packed() ? Optional.of(
        new PackedTiles(k.global(AttentionSpecs.lengths("cuK")), Sm100BackwardConfig.KEYS))
        : Optional.<PackedTiles>empty();
    var blocks = new AttentionTileScheduler(packed.map(PackedTiles::slots)
        .orElseGet(() -> key.extent(0).ceilDiv(Sm100BackwardConfig.KEYS)), key.extent(2),
        packed.isPresent() ? k.constant(1) : key.extent(3), config.headsTogether(),
        config.order().map(DeterministicOrder::descends).orElse(false));
    return new BackwardTiles(k, config, q, key, value, dO, dK, dV, dS, staging,
        RowStatistics.of(k, config.shape().stagesQ()), k.global(GradientWorkspace.accumulators(
            Sm100BackwardConfig.QUERIES, config.shape().headDim())), slots, blocks, packed);
  }

  /** The block of keys that this CTA has. */
  KeyBlock block() {
    var slot = blocks.tile(k.blockX());
    var place = packed.map(tiles -> tiles.tile(k, slot)).orElse(slot);
    var sequence = packed.map(tiles -> SeqlenInfo.packed(slots.packed().orElseThrow().lengths(), tiles.lengths(),
        place.batch())).orElseGet(() -> SeqlenInfo.fixed(q.extent(0), key.extent(0)));
    var firstKey = place.number().times(Sm100BackwardConfig.KEYS);
    return new KeyBlock(k, place.number(), firstKey, place.head(), q.extent(2).dividedBy(key.extent(2)),
        place.batch(), sequence, QueryBlocks.of(config.band(), sequence, firstKey, Sm100BackwardConfig.QUERIES,
            Sm100BackwardConfig.KEYS));
  }

  /** A tile's slot in the workspace. */
  I32 slot(KeyBlock.Tile tile) {
    return slots.slot(tile.batch(), tile.number());
  }

  /** Whether its sequence has the block. */
  Pred exists(KeyBlock block) {
    return block.firstKey().lessThan(block.sequence().keys());
  }
}
