package tilewright.sm100.attention.backward;

import tilewright.async.atom.RegisterBudget;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.sm100.atom.Elect;
import tilewright.sm100.atom.TensorMemory;

/**
 * The gradients of attention on SM100 (FlashAttention-4, section 4): dK, dV and the accumulators of dQ.
 *
 * <p>A CTA has a block of 128 keys of one head of K, and goes through the tiles of 128 queries that see it, those of
 * all heads of Q that read the head. Two warpgroups compute P and dS, one adds dQ to its accumulators; one warp issues
 * MMAs, one loads. Scores are transposed: P and dS are operand A of dV += Pᵀ·dO and dK += dSᵀ·Q where they lie, in
 * Tensor Memory, and dV and dK stay there.
 */
record Sm100AttentionBackward(Sm100BackwardConfig config) implements Kernel {
  private static final int GROUP = 4;
  private static final int REDUCE = 2;
  private static final int MMA = 12;
  private static final int LOAD = 13;
  private static final int WARPS = 16;

  @Override
  public String name() {
    return "sm100_attention_backward_" + config.type().text() + "_d" + config.shape().headDim();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(WARPS * Warp.SIZE);
    k.blocksPerMultiprocessor(1);
    var warp = Shuffle.first(k, thread.dividedBy(Warp.SIZE), WARPS - 1);
    var tiles = BackwardTiles.of(k, config);
    // A grid of nothing has one CTA all the same.
    k.leave(tiles.blocks().count().lessThan(1));
    var block = tiles.block();
    k.leave(tiles.exists(block).not());
    var signals = BackwardSignals.of(k, config.shape(), thread.equalTo(0));
    var allocated = TensorMemory.allocate(k, 1, TensorMemory.COLUMNS, warp.equalTo(MMA), k::barrier);

    var lane = thread.modulo(GROUP * Warp.SIZE);
    var quarter = warp.modulo(GROUP);
    var group = warp.dividedBy(GROUP);
    k.when(group.lessThan(Sm100BackwardConfig.HALVES), () -> {
      RegisterBudget.grow(k, Sm100BackwardConfig.COMPUTE_REGISTERS);
      new ComputeWarpgroup(k, tiles, memory(allocated), signals, lane.settled(), quarter.settled(), group.settled())
          .compute(block.settled());
    }, () -> {
      RegisterBudget.shrink(k, Sm100BackwardConfig.OTHER_REGISTERS);
      k.when(group.equalTo(REDUCE), () -> new ReduceWarpgroup(k, tiles, memory(allocated), signals, lane.settled(),
          quarter.settled()).reduce(block.settled()), () -> {
            k.when(warp.equalTo(MMA).and(block.count().atLeast(1)), () -> k.when(Elect.one(k), () ->
                new MmaWarp(k, tiles, memory(allocated), signals).multiply(block.settled().count())));
            k.when(warp.equalTo(LOAD), () -> k.when(Elect.one(k), () ->
                new LoadWarp(k, tiles, signals).load(block.settled())));
          });
    });
    allocated.release(k::barrier);
  }

  /** Tensor Memory for one role: without addresses that the others would have in registers, too. */
  private BackwardMemory memory(TensorMemory allocated) {
    return new BackwardMemory(allocated.settled(), config);
  }
}
