package tilewright.sm90.collective;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A main loop's consumer for products whose sums tensor cores keep too short: what a stage adds to a piece of the tile
 * is summed by itself and then added in single precision (two-level accumulation, as in DeepSeek-V3 and DeepGEMM).
 * While a warpgroup adds, others multiply; where registers suffice for two pieces, its own next one is multiplied too.
 * Scales are what a stage's sums are multiplied by.
 */
public record Promotion(Scope k, Mainloop loop) {
  /** Of a thread's for sums, beside those for addresses. */
  private static final int MOST_REGISTERS = 192;

  /** Consumers of a CTA of so many warpgroups that say that they are done with a stage. */
  public static int speakers(Optional<BlockScales> scales, int groups) {
    return scales.isPresent() ? groups * Warpgroup.SIZE / Warp.SIZE : groups;
  }

  /** Like {@link Mainloop#consume}. */
  public Fragment consume(Pipeline.Cursor stage, I32 group, I32 lane) {
    var mma = loop.mma();
    var scales = loop.scales();
    var sums = mma.accumulators(k);
    var parts = parts();
    int behind = parts.size() - 1;
    int last = mma.pieces() - 1;
    k.loop(loop.steps(), _ -> {
      stage.awaitFull();
      var factors = scales.map(s -> s.take(mma, group, lane, stage.stage()));
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
        if (done == last) release(stage, lane);
        for (int row = 0; row < TiledWgmma.ROWS; row++) {
          int half = row;
          add(mma.piece(sums, done), parts.get(done % parts.size()), row, factors.map(f -> f.of(mma, done, half)));
        }
      }
    });
    return sums;
  }

  /** What a wgmma has read, all of the warpgroup are done with; scales each warp has taken by itself. */
  private void release(Pipeline.Cursor stage, I32 lane) {
    if (loop.scales().isPresent()) {
      k.warpBarrier();
      stage.releaseAndAdvance(lane.modulo(Warp.SIZE));
    } else {
      stage.releaseAndAdvance(lane);
    }
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
