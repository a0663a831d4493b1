package tilewright.sm90.collective;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A main loop's consumer for products whose sums tensor cores keep too short: what a stage adds to a piece of the tile
 * is summed by itself and then added in single precision (two-level accumulation, as in DeepSeek-V3 and DeepGEMM).
 * While a warpgroup adds, others multiply.
 */
public record Promotion(Scope k, Mainloop loop) {

  /** Like {@link Mainloop#consume}. */
  public Fragment consume(Pipeline.Cursor stage, I32 group, I32 lane) {
    var mma = loop.mma();
    var sums = mma.accumulators(k);
    var part = mma.pieceAccumulators(k);
    k.loop(loop.steps(), step -> {
      stage.awaitFull();
      for (int piece = 0; piece < mma.pieces(); piece++) {
        mma.multiplyPiece(k, group, loop.a().shared(), loop.b().shared(), stage.stage(), piece, part);
        WgmmaAtom.waitFor(k, 0);
        if (piece == mma.pieces() - 1) stage.releaseAndAdvance(lane);
        add(mma.piece(sums, piece), part);
      }
    });
    return sums;
  }

  private void add(Fragment sums, Fragment part) {
    for (int group = 0; group < part.groups().size(); group++) {
      for (int value = 0; value < part.group(group).size(); value++) {
        Operand.Register sum = sums.group(group).get(value);
        k.emit("add.rn.f32", sum, sum, part.group(group).get(value));
      }
    }
  }
}
