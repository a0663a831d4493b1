package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.async.atom.StoreMatrix;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A matrix (M,N,…) on its way out: stages of 64 rows in swizzled shared memory, which a warpgroup's threads fill with
 * the values that they have, and tensor copies empty, or threads where these reach too little or too much.
 */
final class StagedOutput {
  private static final int CHUNK = 16;

  private final Scope k;
  private final SharedTensor stages;
  private final Way way;
  private final Partition partition;
  private final boolean transposed;
  private final Optional<StoreMatrix> matrices;
  private final List<Operand.Register> waiting = new ArrayList<>();

  /** The way from a stage to memory. */
  private interface Way {
    I32 extent(int mode);

    default void prefetchMap() {}

    void store(I32 lane, I32 stage, I32 row, I32 column, I32 batch);

    /** Stores rows before an end; all of the warpgroup does. */
    void storeBefore(I32 end, I32 lane, I32 stage, I32 row, I32 column, I32 batch);
  }

  /** @param threads for blocks of which only some rows are stored, where there are any */
  private record ByCopies(Scope k, TensorTile tile, Optional<ByThreads> threads) implements Way {
    @Override
    public I32 extent(int mode) {
      return tile.extent(mode);
    }

    @Override
    public void prefetchMap() {
      tile.prefetchMap(k);
    }

    @Override
    public void store(I32 lane, I32 stage, I32 row, I32 column, I32 batch) {
      tile.store(k, stage, row, column, batch);
    }

    @Override
    public void storeBefore(I32 end, I32 lane, I32 stage, I32 row, I32 column, I32 batch) {
      threads.orElseThrow().storeBefore(end, lane, stage, row, column, batch);
    }
  }

  /** @param along the mode whose neighbours a stage has side by side */
  private record ByThreads(Scope k, GlobalTensor matrix, SharedTensor stages, TiledCopy copy, int along)
      implements Way {
    static ByThreads of(Scope k, TensorSpec spec, SharedTensor stages, int columns, boolean alongN) {
      int run = Math.min(alongN ? columns : WgmmaAtom.M, Warpgroup.SIZE);
      var atom = new ElementCopy();
      var copy = alongN ? TiledCopy.rowMajor(atom, Warpgroup.SIZE, run)
          : TiledCopy.columnMajor(atom, Warpgroup.SIZE, run);
      return new ByThreads(k, k.global(spec), stages, copy, alongN ? 1 : 0);
    }

    @Override
    public I32 extent(int mode) {
      return matrix.extent(mode);
    }

    @Override
    public void store(I32 lane, I32 stage, I32 row, I32 column, I32 batch) {
      store(matrix, lane, stage, row, column, batch);
    }

    @Override
    public void storeBefore(I32 end, I32 lane, I32 stage, I32 row, I32 column, I32 batch) {
      store(matrix.part(0, k.constant(0), end), lane, stage, row, column, batch);
    }

    private void store(GlobalTensor matrix, I32 lane, I32 stage, I32 row, I32 column, I32 batch) {
      int across = 1 - along;
      // Known before the tile is multiplied, places and bounds would take registers meanwhile.
      var tile = matrix.from(row.settled(), column.settled(), batch);
      copy.copyBack(lane, stages, stage, tile.climbing(across, copy.step(across)), k.constant(0));
    }
  }

  private StagedOutput(Scope k, SharedTensor stages, Way way, Partition partition, boolean transposed) {
    this.k = k;
    this.stages = stages;
    this.way = way;
    this.partition = partition;
    this.transposed = transposed;
    boolean whole = stages.type().bits() == 16 && partition.values() % StoreMatrix.VALUES == 0;
    this.matrices = whole ? Optional.of(StoreMatrix.of(partition, transposed)) : Optional.empty();
  }

  /**
   * Sets stages aside that tensor copies empty.
   *
   * @param spec with M or N contiguous
   * @param partition of a block (64, columns) among a warpgroup's threads
   * @param parts how threads that store blocks of which only some rows are stored see it, where they do
   */
  static StagedOutput copied(Scope k, TensorSpec spec, Partition partition, int stages, Optional<TensorSpec> parts) {
    boolean transposed = spec.contiguous().filter("M"::equals).isPresent();
    var tile = TensorTile.of(k, spec, layout(spec.type(), transposed, columns(partition), stages));
    var threads = parts.map(s -> ByThreads.of(k, s, tile.shared(), columns(partition), !transposed));
    return new StagedOutput(k, tile.shared(), new ByCopies(k, tile, threads), partition, transposed);
  }

  /**
   * Sets stages aside that threads empty, for a matrix of any strides.
   *
   * @param alongN whether its neighbours run along n, if along either
   */
  static StagedOutput byThreads(Scope k, TensorSpec spec, boolean alongN, Partition partition, int stages) {
    int columns = columns(partition);
    var shared = k.shared(spec.type(), layout(spec.type(), !alongN, columns, stages));
    return new StagedOutput(k, shared, ByThreads.of(k, spec, shared, columns, alongN), partition, !alongN);
  }

  private static int columns(Partition partition) {
    return Math.toIntExact(partition.tile().get(1));
  }

  private static OffsetMap layout(ElementType type, boolean transposed, int columns, int stages) {
    if (transposed) return SwizzledRows.alongRows(type, WgmmaAtom.M, columns, stages);
    // Rows of a single chunk have nothing to permute.
    return columns * type.bytes() > CHUNK ? SwizzledRows.alongColumns(type, WgmmaAtom.M, columns, stages)
        : Layout.of(Layout.of(WgmmaAtom.M, columns), Layout.of(columns, 1), Layout.of(stages, WgmmaAtom.M * columns));
  }

  /** The matrix's extent. */
  I32 extent(int mode) {
    return way.extent(mode);
  }

  /** Prefetches the tensor map, if there is one; one thread calls it. */
  void prefetchMap() {
    way.prefetchMap();
  }

  /** The stages, which a matrix that is read may fill. */
  SharedTensor stages() {
    return stages;
  }

  ElementType type() {
    return stages.type();
  }

  /**
   * Stores a stage where the block at a row and a column of a batch entry is: one thread, where copies do, which it
   * then commits; else all of the warpgroup.
   */
  void store(I32 lane, I32 stage, I32 row, I32 column, I32 batch) {
    way.store(lane, stage, row, column, batch);
  }

  /** Stores the rows of a stage that lie before an end; all of the warpgroup does. */
  void storeByThreads(I32 lane, I32 stage, I32 row, I32 column, I32 batch, I32 end) {
    way.storeBefore(end, lane, stage, row, column, batch);
  }

  /** Writes two integers, as they are, like {@link #put}. */
  void putIntegers(I32 lane, I32 stage, int value, List<Operand.Register> pair) {
    int step = neighbours();
    for (int i = 0; i < pair.size(); i += step) {
      element(lane, stage, value + i).store(Vector.packed(k, type(), pair.subList(i, i + step)));
    }
  }

  /** How many of a pair lie side by side. */
  int neighbours() {
    return transposed ? 1 : 2;
  }

  private Element element(I32 lane, I32 stage, int value) {
    var at = partition.coordinate(lane, value);
    return stages.at(at[0], at[1], stage);
  }

  /** Writes two neighbours along n, the first of which has this number; values come in order. */
  void put(I32 lane, I32 stage, int value, List<F32> pair) {
    if (matrices.isPresent()) {
      waiting.addAll(Vector.rounded(k, type(), pair).registers());
      if (2 * waiting.size() == StoreMatrix.VALUES) {
        putMatrices(matrices.get(), lane, stage, value + pair.size() - StoreMatrix.VALUES);
      }
      return;
    }
    int step = neighbours();
    for (int i = 0; i < pair.size(); i += step) element(lane, stage, value + i).store(pair.subList(i, i + step));
  }

  private void putMatrices(StoreMatrix store, I32 lane, I32 stage, int first) {
    var row = store.row(lane, first / StoreMatrix.VALUES);
    store.store(k, stages.at(row[0], row[1], stage), waiting);
    waiting.clear();
  }
}
