package tilewright.sm100.attention.backward;

import tilewright.async.atom.RegisterBudget;
import tilewright.async.collective.Cluster;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.sm100.atom.Elect;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.collective.CtaGroups;

/**
 * The gradients of attention on SM100 (FlashAttention-4, section 4): dK, dV and the accumulators of dQ.
 *
 * <p>A CTA has a block of 128 keys of one head of K, and goes through the tiles of 128 queries that see it, those of
 * all heads of Q that read the head. Two warpgroups compute P and dS, one adds dQ to its accumulators; one warp issues
 * MMAs, one loads. Scores are transposed: P and dS are operand A of dV += Pᵀ·dO and dK += dSᵀ·Q where they lie, in
 * Tensor Memory, and dV and dK stay there.
 *
 * <p>A pair of CTAs shares a block of 256 keys. Each has half of every operand B, which halves what the MMAs read of
 * shared memory. For dQ = dS·K, which adds up over keys, each CTA has half of the queries: the CTAs send each other the
 * halves of dS, and each adds half as much to dQ as it would alone.
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
    var cluster = Cluster.of(k, new ClusterShape(config.shape().ctas(), 1, 1));
    var groups = new CtaGroups(k, cluster.rank(), config.shape().ctas(), config.shape().ctas());
    var tiles = BackwardTiles.of(k, config, groups);
    // A grid of nothing has one CTA all the same.
    k.leave(tiles.blocks().count().lessThan(1));
    var block = tiles.block();
    k.leave(block.exists().not());
    var signals = BackwardSignals.of(k, config.shape(), thread.equalTo(0));
    var allocated = TensorMemory.allocate(k, config.shape().ctas(), TensorMemory.COLUMNS, warp.equalTo(MMA),
        cluster::meet);

    var lane = thread.modulo(GROUP * Warp.SIZE);
    var quarter = warp.modulo(GROUP);
    var group = warp.dividedBy(GROUP);
    // Each role is the others' alternative: none keeps in registers what only a later one needs.
    k.when(group.lessThan(Sm100BackwardConfig.HALVES), () -> {
      RegisterBudget.grow(k, config.computeRegisters());
      new ComputeWarpgroup(k, tiles, memory(allocated), signals, lane.settled(), quarter.settled(), group.settled())
          .compute(tiles.share(block).settled());
    }, () -> {
      RegisterBudget.shrink(k, config.otherRegisters());
      k.when(group.equalTo(REDUCE), () -> new ReduceWarpgroup(k, tiles, memory(allocated), signals, lane.settled(),
          quarter.settled()).reduce(block.settled()), () ->
              k.when(warp.equalTo(LOAD), () -> k.when(Elect.one(k), () ->
                  new LoadWarp(k, tiles, signals).load(block.settled())), () ->
                      k.when(warp.equalTo(MMA).and(block.count().atLeast(1)), () -> k.when(Elect.one(k), () ->
                          multiply(k, tiles, allocated, signals, block.settled().count())))));
    });
    allocated.release(cluster::meet);
  }

  private void multiply(Scope k, BackwardTiles tiles, TensorMemory allocated, BackwardSignals signals, I32 count) {
    if (!config.shape().paired()) new MmaWarp(k, tiles, memory(allocated), signals).multiply(count);
    else k.when(tiles.groups().isFirst(),
        () -> new PairMmaWarp(k, tiles, memory(allocated), signals).multiply(count),
        () -> new RelayWarp(k, tiles, signals).relay(count));
  }

  /** Tensor Memory for one role: without addresses that the others would have in registers, too. */
  private BackwardMemory memory(TensorMemory allocated) {
    return new BackwardMemory(allocated.settled(), config);
  }
}
