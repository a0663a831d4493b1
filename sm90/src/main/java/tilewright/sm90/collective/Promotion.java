package tilewright.sm90.collective;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A main loop's consumer for products whose sums tensor cores keep too short: what a stage adds to a piece of the tile
 * is summed by itself and then added in single precision (two-level accumulation, as in DeepSeek-V3 and DeepGEMM).
 * While a warpgroup adds, others multiply; where registers suffice for two pieces, its own next one is multiplied too.
 *
 * @param scales that what a stage adds is multiplied by
 */
public record Promotion(Scope k, Mainloop loop, Optional<BlockScales> scales) {
  /** Of a thread's for sums, beside those for addresses. */
  private static final int MOST_REGISTERS = 192;

  /** Like {@link Mainloop#consume}, of the tile that begins at (m, n) of a batch entry, with the B of a group. */
  public Fragment consume(Pipeline.Cursor stage, I32 group, I32 lane, I32 m, I32 n, I32 batch, I32 of) {
    var mma = loop.mma();
    var sums = mma.accumulators(k);
    var parts = parts();
    int behind = parts.size() - 1;
    int last = mma.pieces() - 1;
    k.loop(loop.steps(), step -> {
      // Read before the multiplications, which take longer.
      var factors = scales.map(s -> s.read(mma, group, lane, step, m, n, batch, of));
      stage.awaitFull();
      for (int piece = 0; piece <= last + behind; piece++) {
        boolean more = piece <= last;
        if (more) {
          // Of two parts, the step's first fence holds for both.
          if (piece == 0 || piece >= parts.size()) WgmmaAtom.fence(k);
          mma.multiplyPiece(k, group, loop.a().shared(), loop.b().shared(), stage.stage(), piece,
              parts.get(piece % parts.size()));
        }
        int done = piece - behind;
        if (done < 0) continue;
        WgmmaAtom.waitFor(k, more ? behind : 0);
        if (done == last) stage.releaseAndAdvance(lane);
        for (int row = 0; row < BlockScales.ROWS; row++) {
          int half = row;
          add(mma.piece(sums, done), parts.get(done % parts.size()), row, factors.map(f -> f.of(mma, done, half)));
        }
      }
    });
    return sums;
  }

  /** Where a piece is summed; two, in turns, where registers suffice to multiply one while the last is added. */
  private List<Fragment> parts() {
    var mma = loop.mma();
    int registers = mma.registersOfPiece() * (mma.pieces() + 2);
    boolean two = mma.pieces() > 1 && registers <= MOST_REGISTERS;
    return Stream.generate(() -> mma.pieceAccumulators(k)).limit(two ? 2 : 1).toList();
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
