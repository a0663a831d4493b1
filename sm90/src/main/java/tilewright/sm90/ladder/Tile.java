package tilewright.sm90.ladder;

import tilewright.async.atom.SwizzledRows;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.epilogue.DirectEpilogue;
import tilewright.kernels.epilogue.DirectMatrices;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The parts that the steps with {@code wgmma} share: 64 × 256 of C per warpgroup, stages 64 deep, stores from
 * registers.
 */
final class Tile {
  static final ElementType TYPE = ElementType.BF16;
  static final int M = WgmmaAtom.M;
  static final int N = 256;
  static final int K = 64;
  /** Rows of tiles that CTAs work through together, for L2. */
  static final int BAND = 16;

  private final DirectEpilogue epilogue;
  private final GlobalTensor c;

  private Tile(DirectEpilogue epilogue, GlobalTensor c) {
    this.epilogue = epilogue;
    this.c = c;
  }

  /** Declares C. */
  static Tile of(Scope k) {
    return new Tile(DirectEpilogue.of(k, Epilogue.scaled(TYPE), 2), k.global(DirectMatrices.spec("C", TYPE, 2)));
  }

  static TensorSpec operand(String name, String rows) {
    return TensorSpec.of(name, TYPE, rows, "K", "L").contiguous("K").aligned(8);
  }

  static OffsetMap layout(int rows, int stages) {
    return SwizzledRows.alongColumns(TYPE, rows, K, stages);
  }

  I32 extent(int mode) {
    return c.extent(mode);
  }

  /** Stores a warpgroup's accumulators. */
  void store(I32 lane, Fragment sums, I32 m, I32 n, I32 batch) {
    epilogue.store(lane, WgmmaAtom.accumulators(N), sums, c, m, n, batch);
  }
}
