package tilewright.async.collective;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.TensorCopy;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.MappedTensor;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorMapSpec;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;
import tilewright.numerics.ElementType;
import tilewright.ptx.tensormap.SwizzleMode;

/**
 * A tile (rows, columns, stages) in shared memory that tensor copies fill or empty, box by box. The boxes follow from
 * the tile's layout, which is compared with what they write, element by element.
 */
public final class TensorTile implements OperandTile {
  private static final int MOST = 256;
  private static final int ALIGNMENT = 128;

  private final SharedTensor tile;
  /** Where boxes begin: a copy swizzles the bits of addresses by itself, also of a box that begins between patterns. */
  private final SharedTensor unswizzled;
  private final MappedTensor tensor;
  private final int boxRows;
  private final int boxColumns;
  private final int rows;
  private final int columns;
  private final int interleaved;
  private final int step;
  private final int sharedMode;

  private TensorTile(SharedTensor tile, MappedTensor tensor, Boxes boxes) {
    this(tile, tensor, boxes, 0);
  }

  private TensorTile(SharedTensor tile, MappedTensor tensor, Boxes boxes, int sharedMode) {
    this.tile = tile;
    this.unswizzled = tile.under(plain(tile.layout()));
    this.tensor = tensor;
    this.boxRows = boxes.rows;
    this.boxColumns = boxes.columns;
    this.rows = extent(tile.layout(), 0);
    this.columns = extent(tile.layout(), 1);
    this.interleaved = boxes.interleaved;
    this.step = boxes.step;
    this.sharedMode = sharedMode;
  }

  /**
   * Declares the tensor and sets the tile aside.
   *
   * @param spec the tensor: rows, columns, and modes of which a tile has one coordinate each
   * @param layout (rows, columns, stages)
   */
  public static TensorTile of(Scope k, TensorSpec spec, OffsetMap layout) {
    return shared(k, spec, layout, 1);
  }

  /** Declares the tensor for a tile that already lies in shared memory, such as one that another tensor fills. */
  public static TensorTile over(Scope k, TensorSpec spec, SharedTensor tile) {
    return interleaved(k, spec, tile, 1);
  }

  /**
   * Declares a tile whose rows interleave two modes: {@code count} rows of the first, for each coordinate of the third.
   *
   * @param count rows of a round; the first mode may have fewer. Divides a box's rows, or is a multiple of them
   */
  public static TensorTile interleaved(Scope k, TensorSpec spec, SharedTensor tile, int count) {
    var boxes = Boxes.of(spec, tile.layout(), extent(tile.layout(), 0), count);
    return new TensorTile(tile, boxes.map(k, spec), boxes);
  }

  /**
   * Declares a tile that is filled part by part, each from a place of its own.
   *
   * @param mode that is divided: 0 for rows, 1 for columns
   * @param extent of a part, which divides the tile's
   */
  public static TensorTile inParts(Scope k, TensorSpec spec, OffsetMap layout, int mode, int extent) {
    var boxes = Boxes.of(spec, layout, mode == 0 ? extent : extent(layout, 0), mode == 1 ? extent : MOST, 1);
    if (extent(layout, mode) % extent != 0 || extent % (mode == 0 ? boxes.span() : boxes.columns) != 0) {
      throw new TraceException("parts of " + extent + " of mode " + mode + " of " + layout
          + " are no whole boxes of " + boxes.rows + "×" + boxes.columns);
    }
    return new TensorTile(k.shared(spec.type(), layout), boxes.map(k, spec), boxes);
  }

  /** Declares a tile that several CTAs of a cluster load together, each some rows, or else some columns. */
  public static TensorTile shared(Scope k, TensorSpec spec, OffsetMap layout, int blocks) {
    return shared(k, spec, layout, blocks, 1);
  }

  /** Declares it with rows that interleave two modes, as {@link #interleaved} does. */
  public static TensorTile shared(Scope k, TensorSpec spec, OffsetMap layout, int blocks, int count) {
    int rows = extent(layout, 0);
    int columns = extent(layout, 1);
    var whole = Boxes.of(spec, layout, rows, count);
    boolean byColumns = whole.acrossColumns && rows % (blocks * whole.rows) != 0;
    var boxes = byColumns ? Boxes.of(spec, layout, rows, columns / blocks, count)
        : Boxes.of(spec, layout, rows / blocks, count);
    int all = byColumns ? columns : rows;
    int each = byColumns ? boxes.columns : boxes.span();
    if (all % (blocks * each) != 0) {
      throw new TraceException(blocks + " blocks cannot copy " + all + (byColumns ? " columns" : " rows") + " of "
          + layout + " in boxes of " + each);
    }
    return new TensorTile(k.shared(spec.type(), layout), boxes.map(k, spec), boxes, byColumns ? 1 : 0);
  }

  @Override
  public SharedTensor shared() {
    return tile;
  }

  /** Prefetches the tensor map ahead of the first copy; one thread calls it. */
  @Override
  public void prefetchMap(Scope k) {
    TensorCopy.prefetchMap(k, tensor);
  }

  /** The whole tensor's extent. */
  @Override
  public I32 extent(int mode) {
    return tensor.extent(mode);
  }

  @Override
  public int columns() {
    return columns;
  }

  /** Bytes of a stage, as they count at a barrier: elements that are unpacked count as they were. */
  @Override
  public int bytes() {
    return rows * columns * tensor.spec().element().bits() / Byte.SIZE;
  }

  /** Fills a stage from the tile of the tensor that begins at a coordinate; {@link #bytes} land on the barrier. */
  public void load(Scope k, I32 stage, Mbarrier barrier, I32... coordinate) {
    fill(k, k.constant(0), 1, stage, (box, source, at) -> TensorCopy.load(k, box, source, barrier, at), coordinate);
  }

  /**
   * Fills a part of a stage from the part of the tensor that begins at a coordinate.
   *
   * @param mode that is divided: 0 for rows, 1 for columns
   * @param first of the tile's rows or columns, and how many
   */
  public void loadPart(Scope k, int mode, int first, int extent, I32 stage, Mbarrier barrier, I32... coordinate) {
    int firstRow = mode == 0 ? first : 0;
    int firstColumn = mode == 1 ? first : 0;
    forEachBox(mode == 0 ? extent : rows, mode == 1 ? extent : columns, (row, column) -> TensorCopy.load(k,
        unswizzled.at(k.constant(firstRow + row), k.constant(firstColumn + column), stage), tensor, barrier,
        shifted(coordinate, row, column)));
  }

  /** How one box is copied to its place. */
  public interface Fill {
    void copy(Element box, MappedTensor source, I32... coordinate);
  }

  /**
   * Fills a share of a stage's rows.
   *
   * @param share which of {@code shares} equal parts
   * @param coordinate where the whole tile begins in the tensor
   */
  public void fill(Scope k, I32 share, int shares, I32 stage, Fill copy, I32... coordinate) {
    int height = rows / shares;
    var first = share.times(height);
    var begin = coordinate.clone();
    if (interleaved == 1) {
      begin[0] = begin[0].plus(first);
    } else {
      begin[0] = begin[0].plus(first.modulo(interleaved));
      begin[2] = begin[2].plus(first.dividedBy(interleaved));
    }
    forEachBox(height, (row, column) -> copy.copy(unswizzled.at(first.plus(row), k.constant(column), stage), tensor,
        shifted(begin, row, column)));
  }

  /** Fills this block's share of a stage, for all blocks of the cluster; the others fill the rest. */
  @Override
  public void loadShare(Scope k, Share share, I32 stage, Mbarrier barrier, I32... coordinate) {
    if (share.parts() == 1) {
      load(k, stage, barrier, coordinate);
      return;
    }
    var mask = share.mask(k);
    Fill copy = (box, source, at) -> TensorCopy.multicast(k, box, source, barrier, mask, at);
    if (sharedMode == 0) fill(k, share.part(), share.parts(), stage, copy, coordinate);
    else fillColumns(k, share.part(), share.parts(), stage, copy, coordinate);
  }

  private void fillColumns(Scope k, I32 share, int shares, I32 stage, Fill copy, I32... coordinate) {
    int width = columns / shares;
    var first = share.times(width);
    var begin = coordinate.clone();
    begin[1] = begin[1].plus(first);
    forEachBox(rows, width, (row, column) -> copy.copy(
        unswizzled.at(k.constant(row), first.plus(column), stage), tensor, shifted(begin, row, column)));
  }

  /** Copies a stage to the tile of the tensor that begins at a coordinate, in this thread's present group of copies. */
  public void store(Scope k, I32 stage, I32... coordinate) {
    forEachBox(rows, (row, column) -> TensorCopy.store(k, tensor,
        unswizzled.at(k.constant(row), k.constant(column), stage), shifted(coordinate, row, column)));
  }

  /** Combines a stage with the tile of the tensor that begins at a coordinate; see {@link TensorCopy#reduce}. */
  public void reduce(Scope k, I32 stage, TensorCopy.Combination how, I32... coordinate) {
    forEachBox(rows, (row, column) -> TensorCopy.reduce(k, tensor,
        unswizzled.at(k.constant(row), k.constant(column), stage), how, shifted(coordinate, row, column)));
  }

  private void forEachBox(int height, BiConsumer<Integer, Integer> copy) {
    forEachBox(height, columns, copy);
  }

  private void forEachBox(int height, int width, BiConsumer<Integer, Integer> copy) {
    for (int column = 0; column < width; column += boxColumns) {
      for (int row = 0; row < height; row += boxRows * step) {
        for (int first = row; first < row + step; first++) copy.accept(first, column);
      }
    }
  }

  private I32[] shifted(I32[] coordinate, int row, int column) {
    var place = coordinate.clone();
    if (interleaved > 1) {
      place[0] = place[0].plus(row % interleaved);
      place[2] = place[2].plus(row / interleaved);
    } else {
      place[0] = place[0].plus(row);
    }
    place[1] = place[1].plus(column);
    return place;
  }

  private static Layout plain(OffsetMap layout) {
    return layout instanceof ComposedLayout composed ? composed.layout() : (Layout) layout;
  }

  private static int extent(OffsetMap layout, int mode) {
    return Math.toIntExact(layout.shape().mode(mode).size());
  }

  /**
   * The largest boxes that a layout can be filled with.
   *
   * @param step rows of the tile from one row of a box to the next; the rows between are those of further boxes
   * @param acrossColumns whether rows are contiguous in the tensor
   */
  private record Boxes(int rows, int columns, int step, int interleaved, boolean acrossColumns, SwizzleMode swizzle) {
    static Boxes of(TensorSpec spec, OffsetMap layout, int mostRows, int interleaved) {
      return of(spec, layout, mostRows, MOST, interleaved);
    }

    static Boxes of(TensorSpec spec, OffsetMap layout, int mostRows, int mostColumns, int interleaved) {
      var plain = plain(layout);
      var swizzle = layout instanceof ComposedLayout composed ? composed.swizzle() : Swizzle.IDENTITY;
      var type = spec.type();
      var mode = SwizzledRows.mode(swizzle, type).orElseThrow(() -> new TraceException("no tensor copy swizzles "
          + type.text() + " elements by " + swizzle));
      int inner = spec.contiguous().map(spec.extents()::indexOf).filter(m -> m < 2).orElseThrow(
          () -> new TraceException("tensor " + spec.name() + spec.extents() + " needs rows or columns contiguous"));
      int span = mode.span() == 0 ? MOST : mode.span() / type.bytes();
      int width = run(plain.mode(inner), 1, inner == 0 ? Math.min(span, mostRows) : span);
      int step = inner == 0 ? 1 : step(plain.mode(0), width);
      int height = run(plain.mode(1 - inner), step, width,
          inner == 0 ? Math.min(MOST, mostColumns) : Math.min(MOST, mostRows));
      var boxes = inner == 0 ? new Boxes(width, height, step, interleaved, true, mode)
          : new Boxes(height, width, step, interleaved, false, mode);
      // A contiguous row of a box holds neighbours of one mode only.
      boolean whole = inner == 1 && boxes.rows % interleaved == 0 || interleaved % boxes.rows == 0;
      if (interleaved > 1 && (!whole || mostRows % interleaved != 0 && interleaved % mostRows != 0 || step > 1)) {
        throw new TraceException("boxes of " + boxes.rows + " of " + mostRows + " rows of " + layout
            + " neither hold whole rounds of " + interleaved + " nor divide them");
      }
      boxes.requireToFill(type, plain, inner);
      return boxes;
    }

    MappedTensor map(Scope k, TensorSpec spec) {
      var box = new ArrayList<>(interleaved == 1 ? List.of(rows, columns)
          : List.of(Math.min(rows, interleaved), columns, Math.max(1, rows / interleaved)));
      while (box.size() < spec.extents().size()) box.add(1);
      var steps = new ArrayList<>(Collections.nCopies(box.size(), 1));
      steps.set(0, step);
      return k.mapped(new TensorMapSpec(spec, box, steps, swizzle));
    }

    /** Rows of the tile that a box spans, with those between its own. */
    int span() {
      return rows * step;
    }

    /** How many coordinates of a mode follow each other at a stride. */
    private static int run(Layout mode, long stride, int most) {
      return run(mode, 1, stride, most);
    }

    /** The number of coordinates of a mode, a step apart, that follow each other at a stride, within {@code most}. */
    private static int run(Layout mode, int step, long stride, int most) {
      long size = mode.size() / step;
      int run = 1;
      while (run < Math.min(size, most / step) && mode.apply((long) run * step) == run * stride) run++;
      while (size % run != 0) run--;
      return run;
    }

    /** The coordinates from one to the next at a stride; 1 where none in reach is. */
    private static int step(Layout mode, long stride) {
      return IntStream.rangeClosed(1, TensorMapSpec.MOST_STEP)
          .filter(step -> mode.size() % step == 0 && step < mode.size() && mode.apply(step) == stride)
          .findFirst().orElse(1);
    }

    private void requireToFill(ElementType type, Layout layout, int inner) {
      long[] byRow = offsets(layout.mode(0));
      long[] byColumn = offsets(layout.mode(1));
      for (int row = 0; row < byRow.length; row++) {
        for (int column = 0; column < byColumn.length; column++) {
          int inRow = row % span() / step;
          int inColumn = column % columns;
          long first = byRow[row - inRow * step] + byColumn[column - inColumn];
          long filled = first + (inner == 0 ? inRow + (long) inColumn * rows : inColumn + (long) inRow * columns);
          long offset = byRow[row] + byColumn[column];
          if (offset != filled || first * type.bytes() % ALIGNMENT != 0) {
            throw new TraceException("tensor copies in boxes of " + rows + "×" + columns + " cannot fill " + layout
                + ": element (" + row + "," + column + ") lies at " + offset + ", its box puts it at " + filled
                + " and begins at " + first + "; boxes begin at multiples of " + ALIGNMENT + " bytes");
          }
        }
      }
    }

    private static long[] offsets(Layout mode) {
      return LongStream.range(0, mode.size()).map(mode::apply).toArray();
    }
  }
}
