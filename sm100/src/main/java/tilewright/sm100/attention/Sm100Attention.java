package tilewright.sm100.attention;

import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.sm100.atom.Elect;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm90.atom.RegisterBudget;
import tilewright.sm90.collective.TensorTile;

/**
 * O = softmax(scale · Q·Kᵀ)·V and the logarithms of the rows' sums, on SM100 (FlashAttention-4, algorithm 1).
 *
 * <p>Two tiles of 128 queries share blocks of K and V, and while one's softmax is computed the tensor cores work for
 * the other. Two warpgroups have the softmax of a tile each, one corrects sums; one warp multiplies, one copies blocks
 * here, one results away. Scores, weights and sums stay in Tensor Memory.
 */
public record Sm100Attention(Sm100AttentionConfig config) implements Kernel {
  private static final int WARP = 32;
  private static final int GROUP = 4;
  private static final int CORRECT = 2;
  private static final int MULTIPLY = 12;
  private static final int STORE = 13;
  private static final int LOAD = 14;
  private static final int WARPS = 16;

  @Override
  public String name() {
    return "sm100_attention_" + config.type().text() + "_d" + config.shape().headDim();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(WARPS * WARP);
    k.blocksPerMultiprocessor(1);
    var warp = Shuffle.first(k, thread.dividedBy(WARP), WARPS - 1);
    var first = thread.equalTo(0);
    var q = TensorTile.of(k, config.tensors().q(), config.layoutQ());
    var key = TensorTile.of(k, config.tensors().k(), config.layoutK());
    var value = TensorTile.over(k, config.tensors().v(), key.shared().under(config.layoutV()));
    var o = TensorTile.of(k, config.tensors().o(), config.layoutO());
    var lse = config.lse() ? Optional.of(k.global(AttentionSpecs.logSumExp())) : Optional.<GlobalTensor>empty();
    var factors = RowFactors.of(k);
    var signals = AttentionSignals.of(k, config.shape().stages(), first);
    var allocated = TensorMemory.allocate(k, 1, TensorMemory.COLUMNS, warp.equalTo(MULTIPLY), k::barrier);
    var memory = new AttentionMemory(allocated, config);
    var tiles = tiles(q, key);

    var lane = thread.modulo(GROUP * WARP);
    var quarter = warp.modulo(GROUP);
    var group = warp.dividedBy(GROUP);
    k.when(group.lessThan(CORRECT), () -> {
      RegisterBudget.grow(k, config.softmaxRegisters());
      forEach(k, tiles, new Softmax(k, config, memory, signals, factors, lane, quarter, group)::compute);
    }, () -> {
      RegisterBudget.shrink(k, config.otherRegisters());
      k.when(group.equalTo(CORRECT), () -> forEach(k, tiles,
          new Correction(k, memory, signals, factors, o.shared(), lse, lane, quarter)::correct));
      k.when(warp.equalTo(MULTIPLY), () -> k.when(Elect.one(k), () -> forEach(k, tiles,
          new Multiplier(k, config, memory, signals, q.shared(), key.shared(), value.shared())::multiply)));
      k.when(warp.equalTo(STORE), () -> k.when(Elect.one(k), () -> forEach(k, tiles,
          new OutputStore(k, signals, o)::store)));
      k.when(warp.equalTo(LOAD), () -> k.when(Elect.one(k), () -> forEach(k, tiles, new Loader(k, q, key, value,
          signals.queries(), signals.asked().waiterButFirst(k.constant(0)), signals.blocks().producer())::load)));
    });
    allocated.release(k::barrier);
  }

  private static void forEach(Scope k, AttentionTiles tiles, Consumer<Tile> body) {
    k.loop(k.blockX(), tiles.order().count(), k.gridX(), index -> body.accept(tiles.tile(index)));
  }

  private AttentionTiles tiles(TensorTile q, TensorTile key) {
    var sequence = SeqlenInfo.fixed(q.extent(0), key.extent(0));
    var order = new AttentionTileScheduler(sequence.queries().ceilDiv(config.queries()), q.extent(2), q.extent(3),
        config.headsTogether(), config.band().right().isPresent());
    return new AttentionTiles(config.band(), order, q.extent(2).dividedBy(key.extent(2)), (I32 _) -> sequence,
        config.queries(), config.shape().keys());
  }
}
