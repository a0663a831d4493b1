package tilewright.async.collective;

import java.util.Collections;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.layout.OffsetMap;

/**
 * Tiles of an operand that a warpgroup fetches element by element: of one with any strides, which tensor copies cannot
 * reach. They lie as these would leave them, and zeros are where the operand ends.
 */
public final class FetchedTile implements OperandTile {
  /** Elements that a thread has under way: more take too many registers, and fewer wait for each other. */
  private static final int UNDER_WAY = 16;

  private final SharedTensor tile;
  private final SharedTensor parts;
  private final GlobalTensor operand;
  private final TiledCopy copy;
  private final I32 lane;
  private final int across;
  private final int interleaved;

  private FetchedTile(SharedTensor tile, SharedTensor parts, GlobalTensor operand, TiledCopy copy, I32 lane,
      int across, int interleaved) {
    this.tile = tile;
    this.parts = parts;
    this.operand = operand;
    this.copy = copy;
    this.lane = lane;
    this.across = across;
    this.interleaved = interleaved;
  }

  /**
   * Declares the operand and sets the tiles aside.
   *
   * @param spec (rows, K, batch), or (rows, K, rounds, batch) where a tile's rows interleave two modes
   * @param layout (rows, columns, stages), columns contiguous in rows of one swizzle
   * @param lane the thread's number in its warpgroup
   * @param alongK whether the operand's neighbours run along k, if along either: neighbouring threads fetch them
   * @param count rows of a round, where rows interleave; else 1
   */
  public static FetchedTile of(Scope k, TensorSpec spec, OffsetMap layout, I32 lane, boolean alongK, int count) {
    int columns = extent(layout, 1);
    int rows = UNDER_WAY * Warpgroup.SIZE / columns;
    if (count > 1 && count % rows != 0) {
      throw new TraceException("threads fetch " + rows + " rows at a time, which do not divide rounds of " + count);
    }
    var parts = parts(spec, layout, rows);
    int inner = alongK ? 1 : 0;
    int run = Math.min(alongK ? columns : rows, Warpgroup.SIZE);
    var atom = new ElementCopy();
    var copy = alongK ? TiledCopy.rowMajor(atom, Warpgroup.SIZE, run)
        : TiledCopy.columnMajor(atom, Warpgroup.SIZE, run);
    var tile = k.shared(spec.type(), layout);
    return new FetchedTile(tile, tile.as(parts), k.global(spec), copy, lane, 1 - inner, count);
  }

  /** The tiles cut into parts of so many rows, each of which is a stage of its own. */
  private static OffsetMap parts(TensorSpec spec, OffsetMap layout, int rows) {
    int all = extent(layout, 0);
    int columns = extent(layout, 1);
    var parts = SwizzledRows.alongColumns(spec.type(), rows, columns, extent(layout, 2) * all / rows);
    for (int i = 0; i < layout.size(); i++) {
      long part = i % all / rows + (long) all / rows * (i / (all * columns));
      long same = i % rows + rows * (i / all % columns + columns * part);
      if (layout.apply(i) != parts.apply(same)) {
        throw new TraceException("no parts of " + rows + " rows of " + layout + ": needed are rows of one swizzle");
      }
    }
    return parts;
  }

  private static int extent(OffsetMap layout, int mode) {
    return Math.toIntExact(layout.shape().mode(mode).size());
  }

  @Override
  public SharedTensor shared() {
    return tile;
  }

  @Override
  public I32 extent(int mode) {
    return operand.extent(mode);
  }

  @Override
  public int columns() {
    return extent(tile.layout(), 1);
  }

  @Override
  public int bytes() {
    return 0;
  }

  @Override
  public void prefetchMap(Scope k) {}

  @Override
  public void loadShare(Scope k, Share share, I32 stage, Mbarrier barrier, I32... coordinate) {
    if (share.parts() > 1) throw new TraceException("threads fetch tiles for their own block only");
    int rows = extent(parts.layout(), 0);
    int count = extent(tile.layout(), 0) / rows;
    var rest = Collections.nCopies(coordinate.length - 2, k.constant(0)).toArray(I32[]::new);
    k.loop(k.constant(count), part -> {
      var begin = coordinate.clone();
      if (interleaved == 1) {
        begin[0] = begin[0].plus(part.times(rows));
      } else {
        begin[0] = begin[0].plus(part.modulo(interleaved / rows).times(rows));
        begin[2] = begin[2].plus(part.dividedBy(interleaved / rows));
      }
      copy.copy(lane, operand.from(begin).climbing(across, copy.step(across)), parts, stage.times(count).plus(part),
          rest);
    });
  }
}
