package tilewright.sm100.attention.backward;

import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.attention.backward.GradientWorkspace;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.kernels.attention.backward.KeyBlocks;
import tilewright.kernels.attention.backward.QueryTiles;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm100.collective.CtaGroups;

/**
 * The tensors of the gradients, and their tiles in shared memory. One CTA multiplies each tile in both orientations. Of
 * a pair, each CTA has its share of the rows and, in a tile of its own, its share of the columns. dV and dK leave
 * through places that nothing reads any more by then.
 *
 * @param groups the CTA, or pair of CTAs, that multiplies
 * @param qColumns Q as operand B of dK; likewise {@code keyColumns} of dQ, {@code dOColumns} of dV
 * @param dS dSᵀ: (keys, a half's queries, places)
 * @param staging chunks of dQ: (queries, columns, stages)
 * @param accumulators of dQ: (elements, slots, heads)
 * @param slots of tiles of queries in the workspace
 * @param blocks of keys of all heads, in the order of the launch
 */
record BackwardTiles(Scope k, Sm100BackwardConfig config, CtaGroups groups, TensorTile q, TensorTile qColumns,
    TensorTile key, TensorTile keyColumns, TensorTile value, TensorTile dO, TensorTile dOColumns, TensorTile dK,
    TensorTile dV, SharedTensor dS, SharedTensor staging, RowStatistics statistics, GlobalTensor accumulators,
    QueryTiles slots, KeyBlocks blocks) {

  static BackwardTiles of(Scope k, Sm100BackwardConfig config, CtaGroups groups) {
    var tensors = config.tensors();
    var shape = config.shape();
    var key = TensorTile.of(k, tensors.k(), config.layoutK());
    var value = TensorTile.of(k, tensors.v(), config.layoutV());
    var q = TensorTile.of(k, tensors.q(), config.layoutQ());
    var dO = TensorTile.of(k, tensors.dO(), config.layoutDO());
    var keyColumns = columns(k, shape, key, tensors.k(), config.layoutKColumns(), 1);
    var qColumns = columns(k, shape, q, tensors.q(), config.layoutQColumns(), shape.ctas());
    var dOColumns = columns(k, shape, dO, tensors.dO(), config.layoutDOColumns(), shape.ctas());
    // The last dQ reads K's columns, so that one CTA has no K to spare.
    var dK = TensorTile.over(k, tensors.dK(), shape.paired() ? key.shared() : q.shared().under(config.layoutK()));
    var dV = TensorTile.over(k, tensors.dV(), value.shared());
    var dS = k.shared(config.type(), config.layoutDS());
    var staging = k.shared(ElementType.F32, config.layoutDQ());
    var slots = QueryTiles.of(k, Sm100BackwardConfig.QUERIES, q.extent(0), config.packed());
    var blocks = KeyBlocks.of(slots, config.blocks(), q.extent(2), key::extent);
    return new BackwardTiles(k, config, groups, q, qColumns, key, keyColumns, value, dO, dOColumns, dK, dV, dS, staging,
        RowStatistics.of(k, shape.stagesOfStatistics()),
        k.global(GradientWorkspace.accumulators(Sm100BackwardConfig.QUERIES, shape.headDim())), slots, blocks);
  }

  /**
   * The tile in the other orientation.
   *
   * @param parts of its rows that tensor copies fill one by one, in boxes like those of the rows' tile
   */
  private static TensorTile columns(Scope k, Sm100BackwardConfig.Shape shape, TensorTile rows, TensorSpec spec,
      OffsetMap layout, int parts) {
    return shape.paired() ? TensorTile.shared(k, spec, layout, parts) : rows;
  }

  /** The block of keys that this CTA has, or shares with the other of its pair. */
  KeyBlock block() {
    return blocks.block(k.blockX().dividedBy(groups.ctas()));
  }

  /** This CTA's share of a block's keys. */
  KeyBlock share(KeyBlock block) {
    return new KeyBlock(k, block.number(), block.firstKey().plus(groups.member().times(Sm100BackwardConfig.KEYS)),
        block.headOfKeys(), block.sharers(), block.batch(), block.sequence(), block.tiles(), block.list());
  }

  /** Expects, in one thread, the half of dS that the pair's other CTA sends. */
  void expectScoreGradients(BackwardSignals.OfPair pair) {
    pair.dSReceived().barrier().arriveExpecting(k.constant(Warpgroup.WARPS * Sm100BackwardConfig.SENT_BYTES));
  }

  /** A tile's slot in the workspace. */
  I32 slot(KeyBlock.Tile tile) {
    return slots.slot(tile.batch(), tile.number());
  }
}
