package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A main loop's consumer for products whose A is narrower than B: a warpgroup converts the next stage of its rows in
 * registers while the tensor core multiplies this one (CUTLASS, MainloopSm90TmaGmmaRmemAWarpSpecializedMixedInput).
 *
 * <p>Two stages a round, each with registers of its own. One set that is filled from another would not do: ptxas makes
 * one of the two, and writes what is being multiplied.
 *
 * @param narrow type of A's elements in memory
 * @param scales of A's rows for every 128 of k, by which elements are multiplied before they are rounded to B's type
 * @param multiplied the stage that is multiplied next, which lies between the one that is converted and the one done
 */
public record Conversion(Scope k, Mainloop loop, ElementType narrow, BlockScales scales, Pipeline.Cursor multiplied) {
  private static final int SETS = 2;

  /** Like {@link Mainloop#consume}, of the tile that begins at row m of a batch entry. */
  public Fragment consume(Mainloop.Place place, I32 group, I32 lane, I32 m, I32 batch) {
    var sums = loop.mma().accumulators(k);
    var tile = new Tile(place, group, lane, m, batch);
    var even = tile.registers();
    var odd = tile.registers();
    k.when(loop.steps().atLeast(1), () -> {
      tile.keep(tile.read(k.constant(0)));
      tile.convert(even);
      tile.keep(tile.read(k.constant(1)));
    });
    k.loop(loop.steps().ceilDiv(SETS), round -> {
      var step = round.times(SETS);
      tile.meet();
      tile.multiply(even, sums, step, odd);
      k.when(step.plus(1).lessThan(loop.steps()), () -> tile.multiply(odd, sums, step.plus(1), even));
    });
    WgmmaAtom.waitFor(k, 0);
    tile.meet();
    k.when(loop.steps().atLeast(1), tile::release);
    return sums;
  }

  /** A thread's rows of a tile of C, stage after stage. */
  private final class Tile {
    private final Mainloop.Place place;
    private final I32 group;
    private final I32 lane;
    private final I32 m;
    private final I32 batch;
    private final ConvertedRows rows;
    private final List<Operand.Register> scaled = new ArrayList<>();

    Tile(Mainloop.Place place, I32 group, I32 lane, I32 m, I32 batch) {
      this.place = place;
      this.group = group;
      this.lane = lane;
      this.m = m;
      this.batch = batch;
      rows = loop.mma().convertedRows(narrow);
      for (int i = 0; i < BlockScales.ROWS * loop.mma().blocks(); i++) scaled.add(k.newRegister(PtxType.F32));
    }

    /** Of each block of rows, for each slice of a stage. */
    List<List<List<Operand.Register>>> registers() {
      var blocks = new ArrayList<List<List<Operand.Register>>>();
      for (int block = 0; block < loop.mma().blocks(); block++) blocks.add(rows.registers(k, loop.mma().depth()));
      return blocks;
    }

    /** The scales of a step, under way. */
    List<F32> read(I32 step) {
      var depth = loop.first().plus(step).times(loop.mma().depth());
      return scales.ofRows(loop.mma(), group, lane, depth.dividedBy(BlockScales.BLOCK), m, batch);
    }

    /** Has the next conversion use these scales. */
    void keep(List<F32> read) {
      for (int i = 0; i < scaled.size(); i++) k.emit("mov.f32", scaled.get(i), read.get(i).register());
    }

    /** Converts the next stage that has landed. */
    void convert(List<List<List<Operand.Register>>> into) {
      var stage = place.stage();
      stage.awaitFull();
      for (int block = 0; block < into.size(); block++) {
        var factors = scaled.subList(BlockScales.ROWS * block, BlockScales.ROWS * (block + 1)).stream()
            .map(k::result).toList();
        rows.read(k, loop.a().shared(), lane, loop.mma().row(group, block), stage.stage(), factors, into.get(block));
      }
      stage.advance();
    }

    /** Begins the multiplications of a step, waits for those of the step before, and converts the next. */
    void multiply(List<List<List<Operand.Register>>> a, Fragment sums, I32 step,
        List<List<List<Operand.Register>>> next) {
      var later = read(step.plus(2));
      WgmmaAtom.fence(k);
      loop.mma().issue(k, a, loop.b().shared(), multiplied.stage(), sums);
      WgmmaAtom.commit(k);
      multiplied.advance();
      WgmmaAtom.waitFor(k, 1);
      k.when(step.atLeast(1), this::release);
      k.when(step.plus(1).lessThan(loop.steps()), () -> convert(next));
      keep(later);
    }

    /** All threads have read the stages converted so far themselves, which the one that releases them cannot know. */
    void meet() {
      k.barrier(group.plus(1), WgmmaAtom.THREADS);
    }

    void release() {
      place.done().releaseAndAdvance(lane);
    }
  }
}
