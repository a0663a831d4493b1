package tilewright.sm100.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.collective.TensorMemoryUmma;
import tilewright.sm100.collective.TiledUmma;

/** The GEMMs of operands without scales. */
final class PlainProducts implements AttentionProducts {
  private final Scope k;
  private final Sm100AttentionConfig config;
  private final AttentionMemory memory;
  private final AttentionOperands operands;
  private final TiledUmma qk;
  private final TensorMemoryUmma pv;

  PlainProducts(Scope k, Sm100AttentionConfig config, AttentionMemory memory, AttentionOperands operands) {
    this.k = k;
    this.config = config;
    this.memory = memory;
    this.operands = operands;
    int rows = Sm100AttentionConfig.ROWS;
    var shape = config.shape();
    qk = TiledUmma.of(UmmaAtom.of(config.type(), rows, shape.keys(), 1), config.layoutQ(), config.layoutK());
    pv = TensorMemoryUmma.of(UmmaAtom.of(config.probabilities(), config.type(), rows, shape.valueDim(), 1),
        config.layoutV());
  }

  @Override
  public void multiplyKeys(I32 tile, I32 stage, I32 part) {
    qk.multiply(k, memory.scores(tile), operands.q().settled(), tile, operands.key().settled(), stage,
        Pred.known(k, false));
  }

  @Override
  public void multiplyValues(I32 tile, I32 stage, I32 part, Pred more, Runnable awaitRest) {
    var block = operands.value().settled();
    var output = memory.output(tile);
    var probabilities = memory.probabilities(tile);
    pv.multiply(k, output, probabilities, block, stage, 0, config.early(), more);
    awaitRest.run();
    pv.multiply(k, output, probabilities, block, stage, config.early(), config.shape().keys(), Pred.known(k, true));
  }
}
