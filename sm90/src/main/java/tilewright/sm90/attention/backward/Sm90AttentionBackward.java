package tilewright.sm90.attention.backward;

import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.QueryBlocks;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.kernels.attention.backward.QueryTiles;

/**
 * dK and dV of a block of keys, and its part of dQ, on SM90 (FlashAttention-3, backward pass).
 *
 * <p>A CTA has a block of keys of one head. One warp has its K and V copied, and the tiles of Q and dO that see it, with
 * their rows' statistics. Warpgroups have 64 keys each, or share the head dimension of 64.
 */
record Sm90AttentionBackward(Sm90BackwardConfig config) implements Kernel {
  @Override
  public String name() {
    return "sm90_attention_backward_" + config.type().text() + "_d" + config.shape().headDim();
  }

  @Override
  public void trace(Scope k) {
    var shape = config.shape();
    var thread = k.block(shape.threads());
    k.blocksPerMultiprocessor(1);
    var tensors = BackwardTensors.of(k, config);
    var first = thread.equalTo(0);
    var rings = BackwardRings.of(k, shape, first);
    var slots = QueryTiles.of(k, shape.queries(), tensors.q().extent(0), config.packed());
    var order = config.deterministic() ? Optional.of(AdditionOrder.of(k, config, slots, first))
        : Optional.<AdditionOrder>empty();
    k.when(first, () -> Mbarrier.publish(k));
    k.barrier();

    var blocks = new Blocks(k, tensors, slots);
    k.leave(blocks.order().count().lessThan(1));
    var block = blocks.of(k.blockX());
    k.leave(block.firstKey().lessThan(block.sequence().keys()).not());

    var lane = thread.modulo(Warpgroup.SIZE);
    var group = Shuffle.first(k, thread.dividedBy(Warpgroup.SIZE), shape.consumers());
    k.when(group.equalTo(shape.consumers()), () -> {
      RegisterBudget.shrink(k, shape.producerRegisters());
      k.when(lane.equalTo(0), () -> new BackwardProducer(k, config, tensors, rings, slots).run(block),
          () -> order.ifPresent(keepers -> keepers.run(block, lane)));
    }, () -> {
      RegisterBudget.grow(k, config.consumerRegisters());
      var mainloop = new BackwardMainloop(k, config, tensors, rings, slots, order, block, lane, group);
      mainloop.run();
      new BackwardEpilogue(k, config, tensors, lane.settled(), group.settled())
          .store(mainloop.gradientOfKeys(), mainloop.gradientOfValues(), block);
    });
  }

  /** The blocks of keys that a launch has: a CTA for each, those of a few heads side by side. */
  private final class Blocks {
    private final Scope k;
    private final BackwardTensors tensors;
    private final QueryTiles slots;
    private final Optional<PackedTiles> packed;

    Blocks(Scope k, BackwardTensors tensors, QueryTiles slots) {
      this.k = k;
      this.tensors = tensors;
      this.slots = slots;
      packed = config.packed()
          ? Optional.of(new PackedTiles(k.global(AttentionSpecs.lengths("cuK")), config.shape().keys()))
          : Optional.empty();
    }

    AttentionTileScheduler order() {
      var key = tensors.key();
      return packed.map(tiles -> order(tiles.slots(), k.constant(1)))
          .orElseGet(() -> order(key.extent(0).ceilDiv(config.shape().keys()), key.extent(3)));
    }

    private AttentionTileScheduler order(I32 blocks, I32 entries) {
      return new AttentionTileScheduler(blocks, tensors.key().extent(2), entries, config.headsTogether(),
          config.deterministic() && config.order().descends());
    }

    KeyBlock of(I32 index) {
      var drawn = order().tile(index);
      var tile = packed.map(tiles -> tiles.tile(k, drawn)).orElse(drawn);
      var sequence = packed.map(tiles -> SeqlenInfo.packed(slots.packed().orElseThrow().lengths(), tiles.lengths(),
          tile.batch())).orElseGet(() -> SeqlenInfo.fixed(tensors.q().extent(0), tensors.key().extent(0)));
      var firstKey = tile.number().times(config.shape().keys());
      var sharers = tensors.q().extent(2).dividedBy(tensors.key().extent(2));
      return new KeyBlock(k, tile.number(), firstKey, tile.head(), sharers, tile.batch(), sequence,
          QueryBlocks.of(config.band(), sequence, firstKey, config.shape().queries(), config.shape().keys()));
    }
  }
}
