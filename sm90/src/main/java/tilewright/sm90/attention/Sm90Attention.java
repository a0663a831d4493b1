package tilewright.sm90.attention;

import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.sm90.atom.RegisterBudget;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.Pipeline;
import tilewright.sm90.collective.TensorTile;

/**
 * O = softmax(scale · Q·Kᵀ)·V and the logarithms of the rows' sums, on SM90 (FlashAttention-3, algorithms 1 and 2).
 *
 * <p>One warpgroup has blocks of K and V copied into two rings. The others have 64 queries each: Q·Kᵀ → registers →
 * softmax → registers → ·V, while the tensor cores are busy with the next block. CTAs stay and go from tile to tile.
 */
public record Sm90Attention(Sm90AttentionConfig config) implements Kernel {

  @Override
  public String name() {
    return "sm90_attention_" + config.type().text() + "_d" + config.depth();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    k.blocksPerMultiprocessor(1);
    var q = TensorTile.of(k, config.q(), config.layoutQ());
    var key = TensorTile.of(k, config.k(), config.layoutK());
    var value = TensorTile.of(k, config.v(), config.layoutV());
    var o = config.apart() ? TensorTile.of(k, config.o(), config.layoutO())
        : TensorTile.over(k, config.o(), q.shared());
    var lse = k.global(config.lse());
    var first = thread.equalTo(0);
    var queries = Pipeline.single(k, first, config.consumers());
    var keys = Pipeline.of(k, config.stages(), first, config.consumers());
    var values = Pipeline.of(k, config.stages(), first, config.consumers());
    k.barrier();

    var lane = thread.modulo(WgmmaAtom.THREADS);
    var group = Shuffle.first(k, thread.dividedBy(WgmmaAtom.THREADS), config.consumers());
    var tiles = new AttentionTiles(k, config, q, key);
    k.when(group.equalTo(config.consumers()), () -> {
      RegisterBudget.shrink(k, config.producerRegisters());
      k.when(lane.equalTo(0), () -> {
        var producer = new AttentionProducer(k, config, q, key, value, queries.producer(), keys.producer(),
            values.producer());
        tiles.forEach(producer::copy);
      });
    }, () -> {
      RegisterBudget.grow(k, config.consumerRegisters());
      var mainloop = new AttentionMainloop(k, config, q, key, value, queries, keys, values, lane, group);
      var output = new StagedOutput(k, o, lse, mainloop.rows(), lane, group);
      mainloop.begin();
      tiles.forEach(tile -> {
        var totals = mainloop.compute(tile);
        output.store(mainloop.sums(), totals, tile);
        if (!config.apart()) mainloop.releaseQueries(tile, output::drain);
      });
      mainloop.end();
      output.drain();
    });
  }
}
