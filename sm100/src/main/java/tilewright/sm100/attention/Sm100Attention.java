package tilewright.sm100.attention;

import java.util.Optional;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.sm100.atom.Elect;
import tilewright.sm100.atom.TensorMemory;

/**
 * O = softmax(scale · Q·Kᵀ)·V and the logarithms of the rows' sums, on SM100 (FlashAttention-4, algorithm 1).
 *
 * <p>Two tiles of 128 queries share blocks of K and V, and while one's softmax is computed the tensor cores work for
 * the other. Two warpgroups compute the softmax of a tile each, one rescales O; one warp issues MMAs, one loads, one
 * stores. S, P and O stay in Tensor Memory.
 */
public record Sm100Attention(Sm100AttentionConfig config) implements Kernel {
  private static final int GROUP = 4;
  private static final int CORRECT = 2;
  private static final int MMA = 12;
  private static final int STORE = 13;
  private static final int LOAD = 14;
  private static final int SCHEDULE = 15;
  private static final int WARPS = 16;
  /** Warps and threads that go through the tiles: twelve warps together, one thread in each of three others. */
  private static final int READERS = 15;

  @Override
  public String name() {
    return "sm100_attention_" + config.format() + "_d" + config.shape().headDim();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(WARPS * Warp.SIZE);
    k.blocksPerMultiprocessor(1);
    var warp = Shuffle.first(k, thread.dividedBy(Warp.SIZE), WARPS - 1);
    var first = thread.equalTo(0);
    var q = TensorTile.of(k, config.tensors().q(), config.layoutQ());
    var key = TensorTile.of(k, config.tensors().k(), config.layoutK());
    var value = TensorTile.over(k, config.tensors().v(), key.shared().under(config.layoutV()));
    var o = config.outputReplacesQueries()
        ? TensorTile.over(k, config.tensors().o(), q.shared().under(config.layoutO()))
        : TensorTile.of(k, config.tensors().o(), config.layoutO());
    var lse = config.lse() ? Optional.of(k.global(AttentionSpecs.logSumExp())) : Optional.<GlobalTensor>empty();
    var operands = config.quantized().filter(of -> !of.blockScaled()).map(of -> OperandFactors.of(k, of));
    var scales = config.blockScaled() ? Optional.of(OperandScales.of(k, config)) : Optional.<OperandScales>empty();
    var tiles = new AttentionOperands(q.shared(), key.shared(), value.shared());
    var factors = RowFactors.of(k);
    var work = AttentionWork.of(k, config, q, key, first, READERS);
    var signals = AttentionSignals.of(k, config.shape().stages(), first);
    var allocated = TensorMemory.allocate(k, 1, TensorMemory.COLUMNS, warp.equalTo(MMA), k::barrier);
    var memory = new AttentionMemory(allocated, config);

    var lane = thread.modulo(GROUP * Warp.SIZE);
    var leads = thread.modulo(Warp.SIZE).equalTo(0);
    var quarter = warp.modulo(GROUP);
    var group = warp.dividedBy(GROUP);
    k.when(group.lessThan(CORRECT), () -> {
      RegisterBudget.grow(k, config.softmaxRegisters());
      work.forEachOfWarp(leads,
          new SoftmaxWarpgroup(k, work, memory, signals, factors, operands, lane, quarter, group)::compute);
    }, () -> {
      RegisterBudget.shrink(k, config.otherRegisters());
      k.when(group.equalTo(CORRECT), () -> {
        var correction = new CorrectionWarpgroup(k, work, memory, signals, factors, o.shared(), lse, lane, quarter);
        if (config.blockScaled()) correction.storeScaleOfP();
        work.forEachOfWarp(leads, correction::correct);
      });
      k.when(warp.equalTo(MMA), () -> k.when(Elect.one(k), () -> work.forEach(
          new MmaWarp(k, work, signals, products(k, memory, tiles, scales))::multiply)));
      k.when(warp.equalTo(STORE), () -> k.when(Elect.one(k), () -> work.forEach(
          new StoreWarp(k, work, signals, o)::store)));
      k.when(warp.equalTo(LOAD), () -> k.when(Elect.one(k), () -> work.forEach(
          new LoadWarp(k, work, signals, q, key, value, scales)::load)));
      if (config.cancelling()) k.when(warp.equalTo(SCHEDULE), () -> k.when(Elect.one(k), work.indices()::schedule));
    });
    allocated.release(k::barrier);
  }

  private AttentionProducts products(Scope k, AttentionMemory memory, AttentionOperands operands,
      Optional<OperandScales> scales) {
    return scales.<AttentionProducts>map(of -> new ScaledProducts(k, config, memory, operands, of))
        .orElseGet(() -> new PlainProducts(k, config, memory, operands));
  }
}
