package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/**
 * Scales of narrow weights, one for a row of A and 128 of k. Consumers read them from global memory, where a step's are
 * few and each is read again by many CTAs.
 *
 * @param a (M, K/128, L)
 */
public record RowScales(Scope k, GlobalTensor a) {

  /** Declares tensor SA. */
  public static RowScales of(Scope k) {
    return new RowScales(k, k.global(specOfA()));
  }

  static TensorSpec specOfA() {
    return TensorSpec.of("SA", ElementType.F32, "M", "KB", "L");
  }

  /**
   * Those of a thread's two rows of each block, for 128 of k; behind the last are those of the last.
   *
   * @param m the first row of the tile
   */
  List<Element> ofRows(TiledWgmma mma, I32 group, I32 lane, I32 step, I32 m, I32 batch) {
    var inside = step.min(a.extent(1).plus(-1));
    var rows = new ArrayList<Element>();
    for (int block = 0; block < mma.blocks(); block++) {
      for (var row : mma.rowsOfThread(group, lane, block)) {
        // What is beyond the last row is multiplied by anything, and not stored.
        rows.add(a.at(m.plus(row).min(a.extent(0).plus(-1)), inside, batch));
      }
    }
    return rows;
  }
}
