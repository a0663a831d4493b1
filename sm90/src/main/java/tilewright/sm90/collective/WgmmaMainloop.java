package tilewright.sm90.collective;

import tilewright.async.collective.OrderedSequence;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.I32;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The main loop whose accumulators stay in the tensor core's hands: one stage's multiplications are under way while the
 * next begins (CUTLASS, MainloopSm90TmaGmmaWarpSpecialized). Metadata of a sparse A are in registers, which no later
 * stage's may overwrite as long as they are multiplied by: stages come in pairs, and each of a pair has its own.
 */
public record WgmmaMainloop(OperandStages operands) implements Mainloop {

  @Override
  public Consumer consumer(Pipeline ring, OrderedSequence.Turn turn, WorkTile.KRange range, I32 group, I32 lane) {
    var place = Place.of(ring, turn, range);
    return tile -> accumulate(place, tile, group, lane);
  }

  private Fragment accumulate(Place place, WorkTile.KRange range, I32 group, I32 lane) {
    var k = operands.k();
    var mma = operands.mma();
    var stage = place.stage();
    var done = place.done();
    var sums = mma.accumulators(k);
    place.turn().await();
    k.loop(range.steps().dividedBy(mma.unit()), round -> {
      for (int i = 0; i < mma.unit(); i++) {
        stage.awaitFull();
        var metadata = operands.takeMetadata(group, lane, stage.stage());
        mma.multiply(k, group, operands.a().shared(), operands.b().shared(), stage.stage(), sums, metadata);
        stage.advance();
        WgmmaAtom.waitFor(k, 1);
        if (i == 0) k.when(round.atLeast(1), () -> operands.release(done, lane));
        else operands.release(done, lane);
      }
    });
    place.turn().pass();
    WgmmaAtom.waitFor(k, 0);
    k.when(range.steps().atLeast(1), () -> operands.release(done, lane));
    place.skip(range, k.constant(place.turn().between()));
    return sums;
  }
}
