package tilewright.kernels.attention.backward;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch.Scratch;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The memory that the launches share. Queries are in tiles, and each tile has a slot: those of fixed lengths batch
 * entry by batch entry, those of packed sequences by {@link tilewright.kernel.collective.attention.PackedTiles}.
 *
 * <ul>
 * <li>lseLog2 (rows, heads): each row's LSE · log₂ e; +∞ for rows that are none, or see no key, so that P is 0
 * <li>dPsum (rows, heads): D = rowsum(O ∘ dO); 0 for rows that are none
 * <li>dQaccum (elements, slots, heads): dQ without the scale, a tile's elements in the order of the kernel
 * <li>dQsemaphore (slots, heads): how many blocks of keys have added to a tile, where the order is fixed
 * </ul>
 *
 * @param tileM queries of a tile
 * @param tileD head dimension of the tiles of Q
 */
public record GradientWorkspace(AttentionBackwardProblem problem, int tileM, int tileD) {

  /** The specification of the rows' logarithms. */
  public static TensorSpec logarithms() {
    return TensorSpec.of("lseLog2", ElementType.F32, "Rows", "H").contiguous("Rows").aligned(4);
  }

  /** The specification of the rows' sums of O ∘ dO. */
  public static TensorSpec sums() {
    return TensorSpec.of("dPsum", ElementType.F32, "Rows", "H").contiguous("Rows").aligned(4);
  }

  /** The specification of dQ's accumulators. */
  public static TensorSpec accumulators(int tileM, int tileD) {
    return TensorSpec.of("dQaccum", ElementType.F32, "Elements", "Slots", "H").contiguous("Elements").aligned(4)
        .fixed("Elements", tileM * tileD);
  }

  /** The specification of the counts of additions. */
  public static TensorSpec semaphores() {
    return TensorSpec.of("dQsemaphore", ElementType.I32, "Slots", "H").contiguous("Slots");
  }

  /** Slots of tiles of queries. */
  long slots() {
    int heads = problem.forward().sizes().heads();
    return heads == 0 ? 0 : problem.forward().tiles(tileM) / heads;
  }

  /** The buffers. */
  public List<Scratch> buffers() {
    long slots = Math.max(1, slots());
    long heads = problem.forward().sizes().heads();
    var rows = Layout.columnMajor(slots * tileM, heads);
    var all = new ArrayList<>(List.of(new Scratch("lseLog2", ElementType.F32, rows),
        new Scratch("dPsum", ElementType.F32, rows),
        new Scratch("dQaccum", ElementType.F32, Layout.columnMajor((long) tileM * tileD, slots, heads))));
    if (problem.deterministic()) {
      all.add(new Scratch("dQsemaphore", ElementType.I32, Layout.columnMajor(slots, heads)));
    }
    return all;
  }

  /** Gives the buffers to a launch. */
  public void addTo(LaunchArguments arguments) {
    buffers().forEach(buffer -> {
      var whole = buffer.tensor();
      // Without heads there is no element, though buffers are never empty.
      var extents = new ArrayList<>(whole.extents());
      extents.set(extents.size() - 1, (long) problem.forward().sizes().heads());
      arguments.tensor(buffer.name(),
          new LaunchArguments.Tensor(whole.buffer(), whole.offset(), extents, whole.strides()));
    });
  }
}
