package tilewright.simulator.wgmma;

import tilewright.simulator.tensorcore.DotModel;
import tilewright.simulator.tensorcore.MmaType;

/**
 * One form of {@code wgmma.mma_async}: D of 64 rows and {@code columns} columns.
 *
 * @param depth of the product; A holds half of it if it is sparse
 * @param selector which lanes of a quad hold the metadata of a sparse A
 * @param flags bits named here
 */
record WgmmaForm(int columns, int depth, MmaType a, MmaType b, MmaType d, int selector, int flags) {
  static final int ROWS = 64;

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  boolean aInRegisters() {
    return has(Wgmma.A_IN_REGISTERS);
  }

  boolean sparse() {
    return has(Wgmma.SPARSE);
  }

  boolean half() {
    return d == MmaType.F16;
  }

  /** Steps of A that are stored. */
  int storedDepth() {
    return sparse() ? depth / 2 : depth;
  }

  /** Registers of D a thread. */
  int registers() {
    return columns / (half() ? 4 : 2);
  }

  DotModel model() {
    return DotModel.warpgroup(a, half());
  }
}
