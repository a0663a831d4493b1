package tilewright.simulator.wgmma;

import java.util.Arrays;
import tilewright.simulator.mma.SparseMetadata;
import tilewright.simulator.tensorcore.BlockAdder;
import tilewright.simulator.tensorcore.IntegerTile;
import tilewright.simulator.tensorcore.SharedOperand;
import tilewright.simulator.tensorcore.TensorTile;

/** The tensor cores of an SM as {@code wgmma} uses them: 64 columns at a time through a tile. */
public final class WgmmaUnit {
  private static final int WARP_ROWS = 16;
  private static final int SIGN = 1 << 31;

  private final TensorTile tile;
  private final IntegerTile integers = new IntegerTile();
  /** A sparse product's factors, from which the tile gets those that meet. */
  private final int[][] left = new int[TensorTile.DEPTH][TensorTile.HEIGHT];
  private final int[][] right = new int[2 * TensorTile.DEPTH][TensorTile.WIDTH];

  public WgmmaUnit(BlockAdder adder) {
    tile = new TensorTile(adder);
  }

  /** D = A·B + D, or without D. */
  void multiply(WgmmaForm form, WgmmaFragments[] warps, SharedOperand a, SharedOperand b, byte[] shared,
      boolean accumulate) {
    for (int first = 0; first < form.columns(); first += TensorTile.WIDTH) {
      int columns = Math.min(TensorTile.WIDTH, form.columns() - first);
      if (form.a().isInteger()) {
        integers(form, warps, a, b, shared, accumulate, first, columns);
      } else {
        floats(form, warps, a, b, shared, accumulate, first, columns);
      }
    }
  }

  private void floats(WgmmaForm form, WgmmaFragments[] warps, SharedOperand a, SharedOperand b, byte[] shared,
      boolean accumulate, int first, int columns) {
    var words = form.sparse() ? left : tile.left.words;
    readA(form, warps, a, shared, words);
    if (form.has(Wgmma.NEGATE)) negate(words, form.storedDepth());
    b.read(shared, first, columns, form.b(), form.sparse() ? right : tile.right.words);
    for (int w = 0; w < warps.length; w++) {
      if (!accumulate) {
        for (int m = 0; m < WARP_ROWS; m++) Arrays.fill(tile.sums[w * WARP_ROWS + m], 0, columns, 0);
      } else if (form.half()) {
        warps[w].readHalves(tile.sums, w * WARP_ROWS, first, columns);
      } else {
        warps[w].readSingles(tile.sums, w * WARP_ROWS, first, columns);
      }
    }
    if (form.sparse()) {
      sparseFloats(form, warps, columns);
    } else {
      tile.multiply(WgmmaForm.ROWS, columns, form.depth(), form.a(), form.b(), form.model());
    }
    for (int w = 0; w < warps.length; w++) {
      if (form.half()) {
        warps[w].writeHalves(tile.sums, w * WARP_ROWS, first, columns);
      } else {
        warps[w].writeSingles(tile.sums, w * WARP_ROWS, first, columns);
      }
    }
  }

  private void integers(WgmmaForm form, WgmmaFragments[] warps, SharedOperand a, SharedOperand b, byte[] shared,
      boolean accumulate, int first, int columns) {
    readA(form, warps, a, shared, form.sparse() ? left : integers.left);
    b.read(shared, first, columns, form.b(), form.sparse() ? right : integers.right);
    for (int w = 0; w < warps.length; w++) {
      if (accumulate) {
        warps[w].readIntegers(integers.sums, w * WARP_ROWS, first, columns);
      } else {
        for (int m = 0; m < WARP_ROWS; m++) Arrays.fill(integers.sums[w * WARP_ROWS + m], 0, columns, 0);
      }
    }
    boolean saturate = form.has(Wgmma.SATURATE);
    if (form.sparse()) {
      sparseIntegers(form, warps, columns, saturate);
    } else if (form.a().bits() == 1) {
      integers.countBits(WgmmaForm.ROWS, columns, form.depth() / Integer.SIZE);
    } else {
      integers.multiply(WgmmaForm.ROWS, columns, form.depth(), saturate);
    }
    for (int w = 0; w < warps.length; w++) warps[w].writeIntegers(integers.sums, w * WARP_ROWS, first, columns);
  }

  private static void readA(WgmmaForm form, WgmmaFragments[] warps, SharedOperand a, byte[] shared, int[][] words) {
    if (form.aInRegisters()) {
      for (int w = 0; w < warps.length; w++) warps[w].readA(form.a(), words, w * WARP_ROWS);
    } else {
      a.read(shared, 0, WgmmaForm.ROWS, form.a(), words);
    }
  }

  private static void negate(int[][] words, int depth) {
    for (int k = 0; k < depth; k++) for (int m = 0; m < WgmmaForm.ROWS; m++) words[k][m] ^= SIGN;
  }

  /**
   * Multiplies a sparse A: only elements of B that meet stored ones of A take part, so every row has a B of its own.
   */
  private void sparseFloats(WgmmaForm form, WgmmaFragments[] warps, int columns) {
    int stored = form.storedDepth();
    for (int m = 0; m < WgmmaForm.ROWS; m++) {
      var metadata = new SparseMetadata(warps[m / WARP_ROWS].metadata, form.selector(), stored, form.a());
      for (int j = 0; j < stored; j++) {
        System.arraycopy(right[metadata.column(m % WARP_ROWS, j)], 0, tile.right.words[j], 0, columns);
        tile.left.words[j][0] = left[j][m];
      }
      var own = tile.sums[m];
      var top = tile.sums[0];
      tile.sums[0] = own;
      tile.multiply(1, columns, stored, form.a(), form.b(), form.model());
      tile.sums[0] = top;
    }
  }

  private void sparseIntegers(WgmmaForm form, WgmmaFragments[] warps, int columns, boolean saturate) {
    int stored = form.storedDepth();
    for (int m = 0; m < WgmmaForm.ROWS; m++) {
      var metadata = new SparseMetadata(warps[m / WARP_ROWS].metadata, form.selector(), stored, form.a());
      for (int j = 0; j < stored; j++) {
        System.arraycopy(right[metadata.column(m % WARP_ROWS, j)], 0, integers.right[j], 0, columns);
        integers.left[j][0] = left[j][m];
      }
      var own = integers.sums[m];
      var top = integers.sums[0];
      integers.sums[0] = own;
      integers.multiply(1, columns, stored, saturate);
      integers.sums[0] = top;
    }
  }
}
