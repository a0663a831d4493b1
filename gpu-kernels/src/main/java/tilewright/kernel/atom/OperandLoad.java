package tilewright.kernel.atom;

import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;

/** A load of 16 rows of an operand of {@code mma} from shared memory: A's m or B's n, by k. Four registers per lane. */
public interface OperandLoad {

  /** Lane → column-major index in the tile (rows of A or columns of B first, then k) of the 16 bytes it addresses. */
  Layout lanes();

  /** Loads into four registers; {@code row} is the first of this lane's 16 bytes. */
  void load(Scope k, Element row, List<Operand.Register> destination);

  /** The row of the tile in each place along m or n of the fragment. */
  default Layout rows() {
    return Layout.of(LdMatrix.TILE, 1);
  }

  /**
   * The element along k of the tile in each place along k of the fragment.
   *
   * @param extent of k
   */
  default Layout depths(int extent) {
    return Layout.of(extent, 1);
  }
}
