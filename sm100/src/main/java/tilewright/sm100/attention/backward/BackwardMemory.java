package tilewright.sm100.attention.backward;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.I32;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;

/**
 * The layout of Tensor Memory: Sᵀ, dV, dPᵀ, dK. Each warpgroup's half of P takes the place of its half of Sᵀ, and its
 * half of dS that of dPᵀ, which have been read by then; a column holds two elements of P or dS. dQ follows in the place
 * of dPᵀ.
 */
record BackwardMemory(TensorMemory memory, Sm100BackwardConfig config) {
  private static final int HALVES = Sm100BackwardConfig.HALVES;
  private static final int EACH = TensorMemory.COLUMNS / 4;

  TensorMemoryTile scores() {
    return memory.columns(0, Sm100BackwardConfig.QUERIES);
  }

  TensorMemoryTile probabilityGradients() {
    return memory.columns(2 * EACH, Sm100BackwardConfig.QUERIES);
  }

  TensorMemoryTile dQ() {
    return memory.columns(2 * EACH, config.shape().headDim());
  }

  TensorMemoryTile dV() {
    return memory.columns(EACH, config.shape().valueDim());
  }

  TensorMemoryTile dK() {
    return memory.columns(3 * EACH, config.shape().headDim());
  }

  /** A warpgroup's half of a tile of FP32 numbers. */
  static TensorMemoryTile half(TensorMemoryTile tile, I32 which) {
    return tile.stage(which, HALVES);
  }

  /** Where a warpgroup's half of Sᵀ or dPᵀ goes in 16 bits. */
  static TensorMemoryTile rounded(TensorMemoryTile tile, I32 which) {
    var half = half(tile, which);
    return half.part(0, half.columns() / 2);
  }

  /** P or dS in 16 bits, by half, in the place of Sᵀ or dPᵀ. */
  static List<TensorMemoryTile> rounded(TensorMemoryTile tile) {
    return IntStream.range(0, HALVES).mapToObj(half -> rounded(tile, tile.first().constant(half))).toList();
  }
}
