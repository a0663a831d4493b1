package tilewright.sm100.attention;

import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.atom.TensorMemoryTile;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.collective.TensorMemoryUmma;
import tilewright.sm100.collective.TiledUmma;

/**
 * The GEMMs of mxf8 operands: {@code tcgen05.mma} with block scales in Tensor Memory. Scales of Q, K and V are copied
 * there when their tile or stage has arrived; those of P are one. A tile of scales is of 128 keys: a smaller block uses
 * some columns of K's, and some bytes of V's.
 */
final class ScaledProducts implements AttentionProducts {
  private final Scope k;
  private final Sm100AttentionConfig config;
  private final AttentionMemory memory;
  private final AttentionOperands operands;
  private final OperandScales scales;
  private final TiledUmma qk;
  private final TensorMemoryUmma pv;

  ScaledProducts(Scope k, Sm100AttentionConfig config, AttentionMemory memory, AttentionOperands operands,
      OperandScales scales) {
    this.k = k;
    this.config = config;
    this.memory = memory;
    this.operands = operands;
    this.scales = scales;
    int rows = Sm100AttentionConfig.ROWS;
    var shape = config.shape();
    qk = TiledUmma.of(UmmaAtom.scaled(config.type(), config.type(), rows, shape.keys(), 1), config.layoutQ(),
        config.layoutK());
    pv = TensorMemoryUmma.of(UmmaAtom.scaled(config.probabilities(), config.type(), rows, shape.valueDim(), 1),
        config.layoutV());
  }

  @Override
  public void takeQueries(I32 tile) {
    for (int i = 0; i < config.scaleTiles(); i++) copy(memory.scalesOfQ(tile, i), scales.q(), i, tile);
  }

  @Override
  public void takeKeys(I32 stage) {
    for (int i = 0; i < config.scaleTiles(); i++) copy(memory.scalesOfK(k, i), scales.key(), i, stage);
  }

  @Override
  public void takeValues(I32 stage) {
    copy(memory.scalesOfV(k), scales.value(), 0, stage);
  }

  private void copy(TensorMemoryTile to, TensorTile from, int tile, I32 stage) {
    ScaleCopy.copy(k, 1, to, from.shared(), k.constant(tile), k.constant(0), stage);
  }

  @Override
  public void multiplyKeys(I32 tile, I32 stage, I32 part) {
    qk.multiplyScaled(k, memory.scores(tile), operands.q().settled(), tile, operands.key().settled(), stage,
        i -> memory.scalesOfQ(tile, i), i -> memory.scalesOfK(k, i).stage(part, config.blocksPerScales()),
        Pred.known(k, false));
  }

  @Override
  public void multiplyValues(I32 tile, I32 stage, I32 part, Pred more, Runnable awaitRest) {
    var block = operands.value().settled();
    var output = memory.output(tile);
    var probabilities = memory.probabilities(tile);
    var ofP = new UmmaAtom.Scales(memory.scalesOfP(k), k.constant(0));
    var ofV = new UmmaAtom.Scales(memory.scalesOfV(k), part.times(ScaleCopy.SCALES / config.blocksPerScales()));
    pv.multiplyScaled(k, output, probabilities, ofP, block, stage, ofV, 0, config.early(), more);
    awaitRest.run();
    pv.multiplyScaled(k, output, probabilities, ofP, block, stage, ofV, config.early(), config.shape().keys(),
        Pred.known(k, true));
  }
}
