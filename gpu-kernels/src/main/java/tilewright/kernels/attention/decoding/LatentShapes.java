package tilewright.kernels.attention.decoding;

import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernels.attention.decoding.DecodeShape.Warps;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/**
 * The tiles of latent attention. One group of warps shares a block of keys, which is loaded once and read twice: all of
 * its columns as K, and the first of them as V. No warp has registers for all columns of O, so that several share rows.
 */
final class LatentShapes {
  /** Columns of the rotary part of a row: P takes its place when S is known, and has as many at most. */
  static final int ROTARY = 64;
  /** Columns of the latent part of K: those of DeepSeek-V2 and V3, and the step to fewer. */
  static final int MOST_VALUE_DIM = 512;
  static final int STEP_OF_VALUE_DIM = 128;
  /** Rows of O of all columns that the registers of an SM hold beside what else they have to. */
  static final int MOST_ROWS = 64;
  private static final int KEYS = ROTARY;
  private static final int MOST_STAGES = 4;

  private LatentShapes() {}

  /**
   * The tiles for a number of rows: as many of these as fit, so that keys are read for more of them at a time, then
   * those in which a block is copied while another is computed, most warps work and most bytes are on their way. Where
   * shared memory has room for one stage only, it is that of a GPU with so little bandwidth that copies need not go on
   * all the time.
   */
  static DecodeShape of(int rows, int valueDim, ElementType type, Multiprocessor sm) {
    int needed = IntStream.of(MmaAtom.M, 2 * MmaAtom.M).filter(m -> rows <= m).findFirst().orElse(MOST_ROWS);
    return IntStream.rangeClosed(1, MOST_STAGES).boxed().flatMap(stages -> candidates(valueDim, stages))
        .filter(shape -> shape.rows() <= needed && bytes(shape, type) <= sm.ctaSharedBytes())
        .max(Comparator.comparing(DecodeShape::rows).thenComparing(shape -> shape.stages() > 1)
            .thenComparing(DecodeShape::threads).thenComparing(DecodeShape::stages)).orElseThrow();
  }

  private static Stream<DecodeShape> candidates(int valueDim, int stages) {
    return Stream.of(tiles(MmaAtom.M, KEYS, new Warps(1, 4), valueDim, stages),
        tiles(MmaAtom.M, KEYS / 2, new Warps(1, 2), valueDim, stages),
        tiles(2 * MmaAtom.M, KEYS, new Warps(2, 4), valueDim, stages),
        tiles(2 * MmaAtom.M, KEYS / 2, new Warps(2, 2), valueDim, stages),
        // Two blocks of 16 rows for each warp: half as much of K and V is read from shared memory.
        tiles(MOST_ROWS, KEYS, new Warps(2, 4), valueDim, stages),
        tiles(MOST_ROWS, KEYS / 2, new Warps(4, 2), valueDim, stages));
  }

  private static DecodeShape tiles(int rows, int keys, Warps warps, int valueDim, int stages) {
    return new DecodeShape(rows, keys, 1, warps, valueDim + ROTARY, valueDim, stages, 1);
  }

  /** Bytes of Q, of the stages, and of the rows' numbers by which warps reduce them. */
  private static int bytes(DecodeShape shape, ElementType type) {
    return (shape.rows() + shape.stages() * shape.keys()) * shape.dim() * type.bytes() + DecodeShape.REST_BYTES;
  }
}
