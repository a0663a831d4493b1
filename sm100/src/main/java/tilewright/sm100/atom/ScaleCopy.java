package tilewright.sm100.atom;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.layout.Layout;

/**
 * {@code tcgen05.cp.32x128b.warpx4}: scales of 128 rows, four each, from 512 bytes of shared memory to four columns of
 * Tensor Memory, the same for each warp's lanes (PTX ISA, tcgen05.cp and Scale Factor A ID; SM100).
 */
public final class ScaleCopy {
  public static final int ROWS = 128;
  /** Scales of a row in a tile. */
  public static final int SCALES = 4;
  public static final int BYTES = ROWS * SCALES;
  /** Columns of Tensor Memory that a tile takes. */
  public static final int COLUMNS = 4;
  private static final int GRANULE = 16;
  /** Eight rows of 16 bytes follow each other. */
  private static final int STRIDE = 128;

  private ScaleCopy() {}

  /** (row, scale) → byte of a tile in memory. */
  public static Layout layout() {
    return Layout.parse("((32,4),4):((16,4),1)");
  }

  /** Copies the tile that begins at a coordinate; multiplications that this thread issues later read it. */
  public static void copy(Scope k, int ctas, TensorMemoryTile to, SharedTensor tiles, I32... coordinate) {
    var low = tiles.placeOf(coordinate).dividedBy(GRANULE).plus(STRIDE / GRANULE << 16);
    var descriptor = UmmaDescriptor.register(k, low, STRIDE / GRANULE | 1 << 14);
    k.emit("tcgen05.cp" + TensorMemory.group(ctas) + ".32x128b.warpx4", to.address(k), descriptor);
  }
}
