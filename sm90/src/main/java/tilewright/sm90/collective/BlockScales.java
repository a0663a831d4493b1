package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Scales in blocks: A has one for a row and 128 of k, B, where it has some, for 128 rows and 128 of k (DeepSeek-V3).
 * Those of a step lie in its stage. Where consumers read them from global memory, ptxas multiplies one by the other
 * before the first {@code wgmma}, which then waits for memory.
 *
 * @param a (M, K/128, L), M contiguous, of which tensor copies fill tiles (rows, blocks of k, stages)
 * @param depth k of a stage, of which several may share a block
 */
public record BlockScales(Scope k, TensorTile a, int depth, Optional<OfB> b) {
  /** Rows of B and steps of k that share a scale. */
  public static final int BLOCK = 128;
  private static final int ALIGNED_BYTES = 16;

  /**
   * @param tensor (N/128, K/128, L)
   * @param staged (pieces of the tile's columns, stages)
   * @param columns of a piece, which share a scale
   */
  private record OfB(GlobalTensor tensor, SharedTensor staged, int columns) {
    int pieces() {
      return Math.toIntExact(staged.layout().shape().mode(0).size());
    }
  }

  /**
   * Declares tensors SA and SB, of which the latter has an entry for each of so many matrices B, and sets the stages
   * aside.
   */
  public static BlockScales of(Scope k, String batchOfB, TiledWgmma mma, int tileM, int stages) {
    int columns = mma.pieceColumns();
    if (mma.depth() != BLOCK || BLOCK % columns != 0) {
      throw new TraceException("pieces of " + columns + " columns and " + mma.depth()
          + " of k have no scale of their own: blocks are " + BLOCK + " wide");
    }
    int pieces = mma.columns() / columns;
    return new BlockScales(k, tileOfA(k, BLOCK, tileM, stages), BLOCK,
        Optional.of(new OfB(k.global(TensorSpec.of("SB", ElementType.F32, "NB", "KB", batchOfB)),
            k.shared(ElementType.F32, Layout.of(Layout.of(pieces, 1), Layout.of(stages, pieces))), columns)));
  }

  /** Declares tensor SA alone, and sets the stages aside. */
  public static BlockScales ofA(Scope k, TiledWgmma mma, int tileM, int stages) {
    return new BlockScales(k, tileOfA(k, mma.depth(), tileM, stages), mma.depth(), Optional.empty());
  }

  private static TensorTile tileOfA(Scope k, int depth, int tileM, int stages) {
    var spec = TensorSpec.of("SA", ElementType.F32, "M", "KB", "L").contiguous("M")
        .aligned(ALIGNED_BYTES / Float.BYTES);
    return TensorTile.of(k, spec, Layout.columnMajor(tileM, blocks(depth), stages));
  }

  /** Blocks of k that a stage has a part of. */
  private static int blocks(int depth) {
    return Math.ceilDiv(depth, BLOCK);
  }

  /** Shared memory of a stage. */
  public static int bytes(int tileM, int tileN) {
    return bytesOfA(tileM, BLOCK) + Float.BYTES * Math.ceilDiv(tileN, BLOCK);
  }

  /** Shared memory of a stage for A's scales alone, of so much of k. */
  public static int bytesOfA(int tileM, int depth) {
    return Float.BYTES * tileM * blocks(depth);
  }

  /** Bytes of a stage that land on its barrier. */
  int copiedBytes() {
    return a.bytes();
  }

  /** Copies A's part of a stage: the scales of the tile's rows from m on. */
  void copyA(Pipeline.Cursor stage, Mbarrier landed, I32 m, I32 step, I32 batch) {
    a.load(k, stage.stage(), landed, m, step.times(depth).dividedBy(BLOCK), batch);
  }

  /** Reads B's scales of a step, of the tile's columns from n on: begun, they arrive while a thread waits. */
  List<F32> readB(I32 n, I32 step, I32 group) {
    var read = new ArrayList<F32>();
    b.ifPresent(ofB -> {
      var inside = ofB.tensor.extent(0).plus(-1);
      for (int piece = 0; piece < ofB.pieces(); piece++) {
        read.add(ofB.tensor.at(n.plus(piece * ofB.columns).dividedBy(BLOCK).min(inside), step, group).load());
      }
    });
    return read;
  }

  /** Stores B's scales in a stage, which the thread then announces. */
  void putB(List<F32> read, I32 stage) {
    for (int piece = 0; piece < read.size(); piece++) {
      b.orElseThrow().staged.at(k.constant(piece), stage).store(read.get(piece));
    }
  }

  /** A thread takes its scales of a stage. */
  Factors take(TiledWgmma mma, I32 group, I32 lane, I32 stage) {
    var pieces = new ArrayList<F32>();
    b.ifPresent(ofB -> {
      for (int piece = 0; piece < ofB.pieces(); piece++) pieces.add(ofB.staged.at(k.constant(piece), stage).load());
    });
    return new Factors(takeRows(mma, group, lane, 0, stage), pieces);
  }

  /** A thread takes those of its two rows of each block of rows, of one of a stage's blocks of k. */
  List<F32> takeRows(TiledWgmma mma, I32 group, I32 lane, int blockOfK, I32 stage) {
    var rows = new ArrayList<F32>();
    for (int block = 0; block < mma.blocks(); block++) {
      for (var row : mma.rowsOfThread(group, lane, block)) {
        rows.add(a.shared().at(row, k.constant(blockOfK), stage).load());
      }
    }
    return rows;
  }

  /** A thread's scales of a stage. */
  record Factors(List<F32> rows, List<F32> pieces) {
    /** The scale of the accumulators in a thread's first or second row of a piece. */
    F32 of(TiledWgmma mma, int piece, int row) {
      return rows.get(TiledWgmma.ROWS * mma.block(piece) + row).times(pieces.get(piece % pieces.size()));
    }
  }
}
