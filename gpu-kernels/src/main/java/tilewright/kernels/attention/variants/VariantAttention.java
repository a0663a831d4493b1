package tilewright.kernels.attention.variants;

import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionEpilogue;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.BlockInfo;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * O = softmax(Q·Kᵀ/√D)·V of packed Q, K, V and O (B,S,H,D) by {@code mma.sync}, in one of several ways. A CTA has
 * a tile of queries; blocks of 64 keys come one after the other, the last first. A score of NaN or +∞ makes its row
 * of O NaN.
 */
public record VariantAttention(VariantConfig config) implements Kernel {
  @Override
  public String name() {
    return "attention_" + config.way() + "_" + config.type().text() + "_" + config.accumulator().text() + "_d"
        + config.dim();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    k.blocksPerMultiprocessor(1);
    var specs = new AttentionSpecs(config.type());
    var q = k.global(specs.q().fixed("D", config.dim()));
    var keys = k.global(specs.k().fixed("D", config.dim()));
    var values = k.global(specs.v().fixed("Dv", config.dim()));
    var o = k.global(specs.o().fixed("Dv", config.dim()));
    k.leave(q.extent(0).ceilDiv(config.tileM()).times(q.extent(2)).times(q.extent(3)).lessThan(1));
    var zero = k.constant(0);
    var firstQuery = k.blockX().times(config.tileM());
    var sequence = SeqlenInfo.fixed(q.extent(0), keys.extent(0));
    var blocks = BlockInfo.of(Band.ALL, sequence, firstQuery, config.tileM(), config.tileN());
    var tiles = new VariantTiles(k, thread, config, head(k, q).from(firstQuery, zero, zero, zero), head(k, keys),
        head(k, values));
    var products = new VariantProducts(k, thread, config, tiles);
    var softmax = OnlineSoftmax.of(k, products.rowsOfScores(), Modification.NONE.softmaxScale(k, k.scalar("scale")),
        products.combination());
    var mask = new ScoreMask(Band.ALL, sequence, products.rowsOfScores());

    tiles.begin(blocks.begin());
    if (config.way() == Way.SHARED_QKV) {
      tiles.settle();
      products.holdQueries();
      tiles.takePlace(blocks.begin());
    }
    blocks.visit(k, (n, masked, next, more) -> tiles.visit(n, next, more, step -> {
      if (!step.scores()) {
        products.mix(step);
        return;
      }
      products.score(step);
      if (!step.last()) return;
      var scores = products.scores();
      if (masked) scores = mask.apply(k, thread, firstQuery, n.times(config.tileN()), scores);
      products.weigh(softmax.next(scores));
    }));

    var totals = softmax.finish();
    int chunk = config.chunkOfOutput();
    var staging = tiles.values().under(config.alongColumns("v", config.tileM(), chunk, 1));
    var epilogue = new AttentionEpilogue(products.rowsOfOutput(), staging, tiles.copy(chunk, true), Optional.empty());
    for (int i = 0; i * chunk < config.dim(); i++) {
      if (i > 0 || tiles.valuesAreInUse()) k.barrier();
      var part = head(k, o).from(firstQuery, k.constant(i * chunk), zero, zero);
      epilogue.store(k, thread, totals, products.sums(i), part);
    }
  }

  /** What the CTA's head and batch entry have of a tensor. */
  private static GlobalTensor head(Scope k, GlobalTensor tensor) {
    I32 zero = k.constant(0);
    return tensor.from(zero, zero, k.blockY(), k.blockZ()).covered(2).covered(3);
  }
}
