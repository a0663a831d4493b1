package tilewright.sm90.collective;

import java.util.List;
import java.util.stream.Stream;
import tilewright.async.collective.OrderedSequence;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.tiled.Fragment;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The main loop for an A that is narrower than B: a warpgroup converts slices of its rows, as deep as one {@code
 * wgmma}, in registers while the tensor core multiplies those before (CUTLASS,
 * MainloopSm90TmaGmmaRmemAWarpSpecializedMixedInput).
 *
 * <p>Slices take turns at sets of registers. One set that is filled from another would not do: ptxas makes one of the
 * two, and writes what is being multiplied.
 *
 * @param operands whose scales A's elements are multiplied by, as {@link PairConversion} says
 * @param narrow type of A's elements in memory
 */
public record MixedInputMainloop(OperandStages operands, ElementType narrow) implements Mainloop {
  /** Columns whose multiplications are so short that those of several slices begin together. */
  private static final int FEW_COLUMNS = 64;
  private static final int SLICES_OF_FEW = 4;
  /** Slices that are converted before those that are multiplied next; likewise under way meanwhile. */
  private static final int AHEAD = 2;

  @Override
  public Consumer consumer(Pipeline ring, OrderedSequence.Turn turn, WorkTile.KRange range, I32 group, I32 lane) {
    var place = Place.of(ring, turn, range);
    var multiplied = ring.consumer();
    return tile -> accumulate(place, multiplied, tile, group, lane);
  }

  private Fragment accumulate(Place place, Pipeline.Cursor multiplied, WorkTile.KRange range, I32 group, I32 lane) {
    var k = operands.k();
    var sums = operands.mma().accumulators(k);
    int together = operands.mma().columns() > FEW_COLUMNS ? 1 : SLICES_OF_FEW;
    int ahead = Math.max(together, AHEAD);
    var tile = new Tile(place, multiplied, group, lane, 2 * ahead);
    int slices = operands.mma().unit() * tile.slicesOfAStage();
    var rounds = range.steps().dividedBy(operands.mma().unit());
    k.when(rounds.atLeast(1), () -> tile.convert(0, ahead));
    k.loop(rounds, round -> {
      for (int slice = 0; slice < slices; slice += together) {
        tile.multiply(slice, together, sums);
        WgmmaAtom.waitFor(k, ahead / together);
        int done = slice - ahead;
        if (done >= 0) tile.finish(done, together);
        else k.when(round.atLeast(1), () -> tile.finish(done + slices, together));
        int next = slice + ahead;
        if (next < slices) tile.convert(next, together);
        else k.when(round.plus(1).lessThan(rounds), () -> tile.convert(next - slices, together));
      }
    });
    WgmmaAtom.waitFor(k, 0);
    k.when(rounds.atLeast(1), () -> tile.finish(slices - ahead, ahead));
    return sums;
  }

  /** A thread's rows of a tile of C, slice after slice along k. */
  private final class Tile {
    private final Scope k = operands.k();
    private final Place place;
    /** The stage that is multiplied next, which lies between the one that is converted and the one done. */
    private final Pipeline.Cursor multiplied;
    private final I32 group;
    private final I32 lane;
    private final ConvertedRows rows;
    /** Sets of registers that take turns: for each block of rows, the operand of one multiplication. */
    private final List<List<List<Operand.Register>>> sets;
    /** The scales of a thread's two rows of each block. */
    private final List<List<Operand.Register>> factors;

    Tile(Place place, Pipeline.Cursor multiplied, I32 group, I32 lane, int sets) {
      this.place = place;
      this.multiplied = multiplied;
      this.group = group;
      this.lane = lane;
      int blocks = operands.mma().blocks();
      rows = operands.mma().convertedRows(narrow);
      this.sets = Stream.generate(() -> Stream.generate(() -> rows.registers(k)).limit(blocks).toList()).limit(sets)
          .toList();
      factors = Stream.generate(() -> rows.conversion().factor(k)).limit(TiledWgmma.ROWS * blocks).toList();
    }

    int slicesOfAStage() {
      return operands.mma().depth() / rows.depth();
    }

    private List<List<Operand.Register>> set(int slice) {
      return sets.get(slice % sets.size());
    }

    /** Converts slices from one on. */
    void convert(int first, int count) {
      for (int slice = first; slice < first + count; slice++) convert(slice);
    }

    /** Converts a slice, the first of a stage once that has landed, the first of 128 of k with other scales. */
    private void convert(int slice) {
      int inStage = slice % slicesOfAStage();
      var stage = place.stage();
      if (inStage == 0) stage.awaitFull();
      if (slice * rows.depth() % BlockScales.BLOCK == 0) {
        var scales = operands.scales().orElseThrow().takeRows(operands.mma(), group, lane,
            inStage * rows.depth() / BlockScales.BLOCK, stage.stage());
        for (int i = 0; i < factors.size(); i++) rows.conversion().set(k, factors.get(i), scales.get(i));
      }
      for (int b = 0; b < operands.mma().blocks(); b++) {
        rows.read(k, operands.a().shared(), lane, operands.mma().row(group, b), inStage, stage.stage(),
            factors.subList(TiledWgmma.ROWS * b, TiledWgmma.ROWS * (b + 1)), set(slice).get(b));
      }
      if (inStage == slicesOfAStage() - 1) stage.advance();
    }

    /** Begins the multiplications of slices from one on. */
    void multiply(int first, int count, Fragment sums) {
      WgmmaAtom.fence(k);
      for (int slice = first; slice < first + count; slice++) {
        int inStage = slice % slicesOfAStage();
        operands.mma().issue(k, set(slice), operands.b().shared(), inStage, multiplied.stage(), sums);
        if (inStage == slicesOfAStage() - 1) multiplied.advance();
      }
      WgmmaAtom.commit(k);
    }

    /** After slices, where one is a stage's last: each warp is done with the stage, which it has read by itself. */
    void finish(int first, int count) {
      for (int slice = first; slice < first + count; slice++) {
        if (slice % slicesOfAStage() < slicesOfAStage() - 1) continue;
        k.warpBarrier();
        place.done().releaseAndAdvance(lane.modulo(Warp.SIZE));
      }
    }
  }
}
