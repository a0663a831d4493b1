package tilewright.sm90.attention.backward;

import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernels.attention.backward.KeyBlocks;
import tilewright.kernels.attention.backward.QueryTiles;

/**
 * dK and dV of a block of keys, and its part of dQ, on SM90 (FlashAttention-3, backward pass).
 *
 * <p>A CTA has a block of keys of one head. One warp has its K and V copied, and the tiles of Q and dO that see it,
 * with their rows' statistics. Warpgroups have 64 keys each, or share the head dimension of 64.
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
    var tiles = BackwardTiles.of(k, config);
    var first = thread.equalTo(0);
    var rings = BackwardRings.of(k, shape, first);
    var slots = QueryTiles.of(k, shape.queries(), tiles.q().extent(0), config.packed());
    var order = config.deterministic() ? Optional.of(AdditionOrder.of(k, config, slots, first))
        : Optional.<AdditionOrder>empty();
    k.when(first, () -> Mbarrier.publish(k));
    k.barrier();

    var blocks = KeyBlocks.of(slots, config.blocks(), tiles.q().extent(2), tiles.key()::extent);
    k.leave(blocks.count().lessThan(1));
    var block = blocks.block(k.blockX());
    k.leave(block.exists().not());

    var lane = thread.modulo(Warpgroup.SIZE);
    var group = Shuffle.first(k, thread.dividedBy(Warpgroup.SIZE), shape.consumers());
    k.when(group.equalTo(shape.consumers()), () -> {
      RegisterBudget.shrink(k, shape.producerRegisters());
      k.when(lane.equalTo(0), () -> new BackwardProducer(k, config, tiles, rings, slots).run(block),
          () -> order.ifPresent(additions -> additions.run(block, lane)));
    }, () -> {
      RegisterBudget.grow(k, config.consumerRegisters());
      var mainloop = new BackwardMainloop(k, config, tiles, rings, slots, order, block, lane, group);
      mainloop.run();
      new BackwardEpilogue(k, config, tiles, lane.settled(), group.settled())
          .store(mainloop.gradientOfKeys(), mainloop.gradientOfValues(), block);
    });
  }
}
