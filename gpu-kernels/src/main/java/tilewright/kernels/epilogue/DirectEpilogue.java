package tilewright.kernels.epilogue;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;

/** An epilogue whose threads read and write every matrix themselves. */
public final class DirectEpilogue {
  private final Scope k;
  private final EpilogueTrace trace;
  private final DirectMatrices matrices;
  private final int neighbours;

  private DirectEpilogue(Scope k, EpilogueTrace trace, DirectMatrices matrices, int neighbours) {
    this.k = k;
    this.trace = trace;
    this.matrices = matrices;
    this.neighbours = neighbours;
  }

  /**
   * Declares what the tree reads and writes beside D.
   *
   * @param neighbours along n that are read and written at once: 2, or 1 for any extents and strides
   */
  public static DirectEpilogue of(Scope k, Epilogue tree, int neighbours) {
    return new DirectEpilogue(k, EpilogueTrace.of(k, tree, neighbours), DirectMatrices.of(k, tree, neighbours),
        neighbours);
  }

  /** Makes D (M,N,L) of a thread's accumulators, four to a group, for the part that begins at a row and a column. */
  public void store(I32 thread, Partition partition, Fragment accumulators, GlobalTensor d, I32 m, I32 n, I32 batch) {
    var place = new EpilogueTrace.Place(m, n, batch, d.extent(0), d.extent(1));
    var tile = trace.tile(partition, thread, place, matrices.at(partition, thread, place));
    for (int value = 0; value < partition.values(); value += neighbours) {
      int first = value;
      var sums = IntStream.range(first, first + neighbours)
          .mapToObj(v -> accumulators.accumulator(k, v)).toList();
      var results = List.copyOf(tile.values(first, sums));
      results.forEach(F32::register);
      var at = partition.coordinate(thread, first);
      var element = d.from(m, n, batch).at(at[0], at[1], k.constant(0));
      k.when(element.inside(), () -> element.store(results));
    }
    tile.finish();
  }
}
