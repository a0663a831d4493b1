package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.StoreMatrix;
import tilewright.sm90.atom.SwizzledRows;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A matrix (M,N,…) on its way out: stages of 64 rows in swizzled shared memory, which a warpgroup's threads fill with
 * the values that they have, and tensor copies empty.
 */
final class StagedOutput {
  private static final int CHUNK = 16;

  private final Scope k;
  private final TensorTile tile;
  private final Partition partition;
  private final boolean transposed;
  private final Optional<StoreMatrix> matrices;
  private final List<Operand.Register> waiting = new ArrayList<>();

  private StagedOutput(Scope k, TensorTile tile, Partition partition, boolean transposed,
      Optional<StoreMatrix> matrices) {
    this.k = k;
    this.tile = tile;
    this.partition = partition;
    this.transposed = transposed;
    this.matrices = matrices;
  }

  /**
   * Sets the stages aside.
   *
   * @param spec with M or N contiguous
   * @param partition of a block (64, columns) among a warpgroup's threads
   */
  static StagedOutput of(Scope k, TensorSpec spec, Partition partition, int stages) {
    int columns = Math.toIntExact(partition.tile().get(1));
    boolean transposed = spec.contiguous().filter("M"::equals).isPresent();
    var layout = layout(spec.type(), transposed, columns, stages);
    boolean whole = spec.type().bits() == 16 && partition.values() % StoreMatrix.VALUES == 0;
    return new StagedOutput(k, TensorTile.of(k, spec, layout), partition, transposed,
        whole ? Optional.of(StoreMatrix.of(partition, transposed)) : Optional.empty());
  }

  private static OffsetMap layout(ElementType type, boolean transposed, int columns, int stages) {
    if (transposed) return SwizzledRows.alongRows(type, WgmmaAtom.M, columns, stages);
    // Rows of a single chunk have nothing to permute.
    return columns * type.bytes() > CHUNK ? SwizzledRows.alongColumns(type, WgmmaAtom.M, columns, stages)
        : Layout.of(Layout.of(WgmmaAtom.M, columns), Layout.of(columns, 1), Layout.of(stages, WgmmaAtom.M * columns));
  }

  TensorTile tile() {
    return tile;
  }

  ElementType type() {
    return tile.shared().type();
  }

  /** Writes integers, as they are. */
  void putIntegers(I32 lane, I32 stage, int value, List<Operand.Register> pair) {
    var at = partition.coordinate(lane, value);
    tile.shared().at(at[0], at[1], stage).store(Vector.packed(k, type(), pair));
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
    int step = transposed ? 1 : 2;
    for (int i = 0; i < pair.size(); i += step) {
      var at = partition.coordinate(lane, value + i);
      tile.shared().at(at[0], at[1], stage).store(pair.subList(i, i + step));
    }
  }

  private void putMatrices(StoreMatrix store, I32 lane, I32 stage, int first) {
    long origin = partition.layout().mode(1).apply(first);
    int height = Math.toIntExact(partition.tile().getFirst());
    var row = store.row(lane);
    var element = tile.shared().at(row[0].plus((int) (origin % height)), row[1].plus((int) (origin / height)), stage);
    store.store(k, element, waiting);
    waiting.clear();
  }
}
