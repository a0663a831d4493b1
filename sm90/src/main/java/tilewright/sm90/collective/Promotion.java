package tilewright.sm90.collective;

import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A main loop's consumer for products whose sums tensor cores keep too short: what a stage adds to a piece of the tile
 * is summed by itself and then added in single precision (two-level accumulation, as in DeepSeek-V3 and DeepGEMM).
 * While a warpgroup adds, others multiply.
 *
 * @param scales that what a stage adds is multiplied by
 */
public record Promotion(Scope k, Mainloop loop, Optional<BlockScales> scales) {

  /** Like {@link Mainloop#consume}, of the tile that begins at (m, n) of a batch entry, with the B of a group. */
  public Fragment consume(Pipeline.Cursor stage, I32 group, I32 lane, I32 m, I32 n, I32 batch, I32 of) {
    var mma = loop.mma();
    var sums = mma.accumulators(k);
    var part = mma.pieceAccumulators(k);
    k.loop(loop.steps(), step -> {
      // Read before the multiplications, which take longer.
      var factors = scales.map(s -> s.read(mma, group, lane, step, m, n, batch, of));
      stage.awaitFull();
      for (int i = 0; i < mma.pieces(); i++) {
        int piece = i;
        mma.multiplyPiece(k, group, loop.a().shared(), loop.b().shared(), stage.stage(), piece, part);
        WgmmaAtom.waitFor(k, 0);
        if (piece == mma.pieces() - 1) stage.releaseAndAdvance(lane);
        for (int row = 0; row < BlockScales.ROWS; row++) {
          int half = row;
          add(mma.piece(sums, piece), part, row, factors.map(f -> f.of(mma, piece, half)));
        }
      }
    });
    return sums;
  }

  /** Adds a thread's first or second row, whose values are two neighbours in each group of four. */
  private void add(Fragment sums, Fragment part, int row, Optional<F32> factor) {
    for (int group = 0; group < part.groups().size(); group++) {
      for (int value = 2 * row; value < 2 * row + 2; value++) {
        var sum = sums.group(group).get(value);
        var added = part.group(group).get(value);
        if (factor.isPresent()) k.emit("fma.rn.f32", sum, added, factor.get().register(), sum);
        else k.emit("add.rn.f32", sum, sum, added);
      }
    }
  }
}
