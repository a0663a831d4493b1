package tilewright.sm90.collective;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The metadata of a sparse A on its way through the ring: for each block of 64 rows and {@link WgmmaAtom#metadataDepth}
 * of k a word for each thread of a warpgroup, as {@link WgmmaAtom#metadata} has them. They lie in global memory in this
 * order, so that a thread reads its words as they are. A CTA of a cluster copies its own, which are an eighth of A or
 * less.
 *
 * @param tile (blocks of rows, words of a block after each other along k, stages)
 * @param atom that multiplies
 */
public record StagedMetadata(Scope k, TensorTile tile, WgmmaAtom atom) {
  private static final int ALIGNED_BYTES = 16;

  /** Declares tensor E, (blocks of rows, words along k, batch), and sets the stages aside. */
  public static StagedMetadata of(Scope k, WgmmaAtom atom, int tileM, int tileK, int stages) {
    if (tileK % atom.metadataDepth() != 0) {
      throw new TraceException("stages of " + tileK + " of k have no whole words of metadata: those of "
          + atom.a().text() + " are for " + atom.metadataDepth());
    }
    int rows = tileM / WgmmaAtom.M;
    int words = tileK / atom.metadataDepth() * Warpgroup.SIZE;
    var spec = TensorSpec.of("E", ElementType.I32, "MBlocks", "KWords", "L").contiguous("KWords")
        .aligned(ALIGNED_BYTES / Integer.BYTES);
    var layout = Layout.of(Layout.of(rows, words), Layout.of(words, 1), Layout.of(stages, (long) rows * words));
    return new StagedMetadata(k, TensorTile.of(k, spec, layout), atom);
  }

  /** Bytes of a stage, all of which land on its barrier. */
  public static int bytes(int tileM, int tileK, WgmmaAtom atom) {
    return tileM / WgmmaAtom.M * (tileK / atom.metadataDepth()) * Warpgroup.SIZE * Integer.BYTES;
  }

  /** Copies those of a tile's rows from m on, in one thread. */
  void copy(Pipeline.Cursor stage, Mbarrier landed, I32 m, I32 step, I32 batch) {
    tile.load(k, stage.stage(), landed, m.dividedBy(WgmmaAtom.M), step.times(tile.columns()), batch);
  }

  /** A thread takes its words of a stage: for each of its warpgroup's blocks of rows, word after word along k. */
  List<List<Operand.Register>> take(TiledWgmma mma, I32 group, I32 lane, I32 stage) {
    return IntStream.range(0, mma.blocks()).mapToObj(block -> {
      var row = mma.row(group, block).dividedBy(WgmmaAtom.M);
      return IntStream.range(0, tile.columns() / Warpgroup.SIZE).mapToObj(word ->
          tile.shared().at(row, lane.plus(word * Warpgroup.SIZE), stage).vector(1).registers().getFirst()).toList();
    }).toList();
  }
}
