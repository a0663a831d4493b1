package tilewright.sm100.attention.backward;

import java.util.List;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Mbarrier;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernels.attention.backward.GradientWorkspace;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** LSE · log₂ e and D = rowsum(O ∘ dO) of each query of a tile: (queries, stages). */
record RowStatistics(Scope k, GlobalTensor lseLog2, GlobalTensor dPsum, SharedTensor logarithms, SharedTensor sums) {
  private static final int ROWS = Sm100BackwardConfig.QUERIES;
  private static final int COLUMN_BYTES = ROWS * Float.BYTES;
  /** Neighbours that one access reads. */
  static final int QUAD = 4;

  static RowStatistics of(Scope k, int stages) {
    var rows = Layout.columnMajor(ROWS, stages);
    return new RowStatistics(k, k.global(GradientWorkspace.logarithms()), k.global(GradientWorkspace.sums()),
        k.shared(ElementType.F32, rows), k.shared(ElementType.F32, rows));
  }

  /** Bytes of a stage. */
  static int bytes() {
    return 2 * COLUMN_BYTES;
  }

  /** Fills a stage; {@link #bytes} land on the barrier. */
  void load(I32 slot, I32 head, I32 stage, Mbarrier barrier) {
    var zero = k.constant(0);
    var bytes = k.constant(COLUMN_BYTES);
    BulkCopy.load(k, logarithms.at(zero, stage), lseLog2.at(slot.times(ROWS), head), bytes, barrier);
    BulkCopy.load(k, sums.at(zero, stage), dPsum.at(slot.times(ROWS), head), bytes, barrier);
  }

  /** The logarithms of {@link #QUAD} neighbouring queries. */
  List<F32> logarithms(I32 query, I32 stage) {
    return logarithms.at(query, stage).load(QUAD);
  }

  /** D of {@link #QUAD} neighbouring queries. */
  List<F32> sums(I32 query, I32 stage) {
    return sums.at(query, stage).load(QUAD);
  }
}
