package tilewright.sm90.collective;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.I32;
import tilewright.kernel.I32Variable;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.kernel.tiled.Fragment;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A main loop's consumer for products whose A is narrower than B: a warpgroup converts slices of its rows, as deep as
 * one {@code wgmma}, in registers while the tensor core multiplies those before (CUTLASS,
 * MainloopSm90TmaGmmaRmemAWarpSpecializedMixedInput).
 *
 * <p>Slices take turns at sets of registers. One set that is filled from another would not do: ptxas makes one of the
 * two, and writes what is being multiplied.
 *
 * @param narrow type of A's elements in memory
 * @param scales of A's rows for every 128 of k, by which elements are multiplied as {@link PairConversion} says
 * @param multiplied the stage that is multiplied next, which lies between the one that is converted and the one done
 */
public record Conversion(Scope k, Mainloop loop, ElementType narrow, RowScales scales, Pipeline.Cursor multiplied) {
  /** Slices that are converted before the one that is multiplied next. */
  private static final int AHEAD = 2;
  /** Slices whose multiplications are under way while another is converted. */
  private static final int PENDING = 2;

  /** Like {@link Mainloop#consume}, of the tile that begins at row m of a batch entry. */
  public Fragment consume(Mainloop.Place place, I32 group, I32 lane, I32 m, I32 batch) {
    var sums = loop.mma().accumulators(k);
    var tile = new Tile(place, group, lane, m, batch);
    int slices = loop.mma().unit() * tile.slicesOfAStage();
    var rounds = loop.steps().dividedBy(loop.mma().unit());
    k.when(rounds.atLeast(1), () -> {
      tile.readScales();
      IntStream.range(0, AHEAD).forEach(tile::convert);
    });
    k.loop(rounds, round -> {
      for (int slice = 0; slice < slices; slice++) {
        tile.multiply(slice, sums);
        int done = Math.floorMod(slice - PENDING, slices);
        if (slice >= PENDING) tile.finish(done);
        else k.when(round.atLeast(1), () -> tile.finish(done));
        int next = slice + AHEAD;
        if (next < slices) tile.convert(next);
        else k.when(round.plus(1).lessThan(rounds), () -> tile.convert(next - slices));
      }
    });
    WgmmaAtom.waitFor(k, 0);
    k.when(rounds.atLeast(1), () -> IntStream.range(slices - PENDING, slices).forEach(tile::finish));
    return sums;
  }

  /** A thread's rows of a tile of C, slice after slice along k. */
  private final class Tile {
    private final Mainloop.Place place;
    private final I32 group;
    private final I32 lane;
    private final I32 m;
    private final I32 batch;
    private final ConvertedRows rows;
    /** In turns: of each block of rows, what one multiplication takes. */
    private final List<List<List<Operand.Register>>> sets;
    /** What elements are multiplied by: of a thread's two rows of each block. */
    private final List<List<Operand.Register>> factors;
    /** Those of the next 128 of k, on their way. */
    private final List<Vector> coming;
    private final I32Variable block;

    Tile(Mainloop.Place place, I32 group, I32 lane, I32 m, I32 batch) {
      this.place = place;
      this.group = group;
      this.lane = lane;
      this.m = m;
      this.batch = batch;
      int blocks = loop.mma().blocks();
      rows = loop.mma().convertedRows(narrow);
      sets = Stream.generate(() -> Stream.generate(() -> rows.registers(k)).limit(blocks).toList())
          .limit(AHEAD + PENDING).toList();
      factors = Stream.generate(() -> rows.conversion().factor(k)).limit(TiledWgmma.ROWS * blocks).toList();
      coming = factors.stream().map(_ -> Vector.of(k, ElementType.F32, 1)).toList();
      block = k.variable(loop.first().times(loop.mma().depth()).dividedBy(BlockScales.BLOCK), Integer.MAX_VALUE);
    }

    int slicesOfAStage() {
      return loop.mma().depth() / rows.depth();
    }

    private List<List<Operand.Register>> set(int slice) {
      return sets.get(slice % sets.size());
    }

    /** Has the scales of the next 128 of k read. */
    void readScales() {
      var there = scales.ofRows(loop.mma(), group, lane, block.value(), m, batch);
      for (int i = 0; i < coming.size(); i++) there.get(i).loadInto(coming.get(i));
      block.set(block.value().plus(1));
    }

    /** Converts a slice, the first of a stage once that has landed, the first of 128 of k with other scales. */
    void convert(int slice) {
      int inStage = slice % slicesOfAStage();
      if (inStage == 0) place.stage().awaitFull();
      if (slice * rows.depth() % BlockScales.BLOCK == 0) {
        for (int i = 0; i < factors.size(); i++) {
          rows.conversion().set(k, factors.get(i), coming.get(i).values().getFirst());
        }
        readScales();
      }
      for (int b = 0; b < loop.mma().blocks(); b++) {
        rows.read(k, loop.a().shared(), lane, loop.mma().row(group, b), inStage, place.stage().stage(),
            factors.subList(TiledWgmma.ROWS * b, TiledWgmma.ROWS * (b + 1)), set(slice).get(b));
      }
      if (inStage == slicesOfAStage() - 1) place.stage().advance();
    }

    /** Begins the multiplications of a slice, and waits for those of the one before those that stay under way. */
    void multiply(int slice, Fragment sums) {
      int inStage = slice % slicesOfAStage();
      WgmmaAtom.fence(k);
      loop.mma().issue(k, set(slice), loop.b().shared(), inStage, multiplied.stage(), sums);
      WgmmaAtom.commit(k);
      if (inStage == slicesOfAStage() - 1) multiplied.advance();
      WgmmaAtom.waitFor(k, PENDING);
    }

    /** After a stage's last slice: the stage is free once all threads, which read it themselves, have come here. */
    void finish(int slice) {
      if (slice % slicesOfAStage() < slicesOfAStage() - 1) return;
      k.barrier(group.plus(1), WgmmaAtom.THREADS);
      place.done().releaseAndAdvance(lane);
    }
  }
}
