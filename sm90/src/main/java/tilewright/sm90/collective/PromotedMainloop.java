package tilewright.sm90.collective;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.async.collective.OrderedSequence;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The main loop for operands whose sums tensor cores keep with too few bits: each stage's part of a piece of the tile
 * is accumulated by itself and then added in FP32 (two-level accumulation, as in DeepSeek-V3 and DeepGEMM), multiplied
 * by its scales where there are some. While one warpgroup adds, others multiply; where registers suffice for two
 * pieces, a warpgroup's own next piece is multiplied meanwhile, too.
 */
public record PromotedMainloop(OperandStages operands) implements Mainloop {
  /** Registers of a thread for accumulators; the rest are for addresses. */
  private static final int MOST_REGISTERS = 192;

  @Override
  public Consumer consumer(Pipeline ring, OrderedSequence.Turn turn, WorkTile.KRange range, I32 group, I32 lane) {
    var place = Place.of(ring, turn, range);
    return tile -> accumulate(place.stage(), tile, group, lane);
  }

  private Scope k() {
    return operands.k();
  }

  private Fragment accumulate(Pipeline.Cursor stage, WorkTile.KRange range, I32 group, I32 lane) {
    var k = k();
    var mma = operands.mma();
    var scales = operands.scales();
    var sums = mma.accumulators(k);
    var parts = parts();
    int behind = parts.size() - 1;
    int last = mma.pieces() - 1;
    k.loop(range.steps(), _ -> {
      stage.awaitFull();
      var factors = scales.map(s -> s.take(mma, group, lane, stage.stage()));
      // No multiplication is under way any more that needs the last step's.
      var metadata = operands.takeMetadata(group, lane, stage.stage());
      for (int piece = 0; piece <= last + behind; piece++) {
        boolean more = piece <= last;
        if (more) {
          // Of two parts, the step's first fence holds for both.
          if (piece == 0 || piece >= parts.size()) WgmmaAtom.fence(k);
          mma.multiplyPiece(k, group, operands.a().shared(), operands.b().shared(), stage.stage(), piece,
              parts.get(piece % parts.size()), metadata);
        }
        int done = piece - behind;
        if (done < 0) continue;
        WgmmaAtom.waitFor(k, more ? behind : 0);
        if (done == last) operands.release(stage, lane);
        for (int row = 0; row < TiledWgmma.ROWS; row++) {
          int half = row;
          add(mma.piece(sums, done), parts.get(done % parts.size()), row, factors.map(f -> f.of(mma, done, half)));
        }
      }
    });
    return sums;
  }

  /**
   * The accumulators of a piece; two that alternate where registers suffice to multiply one while the last is added.
   */
  private List<Fragment> parts() {
    var mma = operands.mma();
    int registers = mma.registersOfPiece() * (mma.pieces() + 2);
    boolean two = mma.pieces() > 1 && registers <= MOST_REGISTERS;
    return Stream.generate(() -> mma.pieceAccumulators(k())).limit(two ? 2 : 1).toList();
  }

  /** Adds a thread's first or second row, whose values are two neighbours in each group of four. */
  private void add(Fragment sums, Fragment part, int row, Optional<F32> factor) {
    for (int group = 0; group < part.groups().size(); group++) {
      for (int value = 2 * row; value < 2 * row + 2; value++) {
        var sum = sums.group(group).get(value);
        var added = part.group(group).get(value);
        if (factor.isPresent()) k().emit("fma.rn.f32", sum, added, factor.get().register(), sum);
        else k().emit("add.rn.f32", sum, sum, added);
      }
    }
  }
}
