package tilewright.sm120;

import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The configuration of a block-scaled GEMM on SM120. Operands lie along k.
 *
 * @param tileK bytes
 * @param band tile rows that CTAs work through together, for L2
 * @param neighbours along n that a thread stores at once: 2, or 1 for any extents and strides
 */
public record Sm120GemmConfig(UmmaTypes types, int tileM, int tileN, int tileK, int warpsM, int warpsN, int stages,
    int band, int neighbours) {
  /** Bytes that a copy moves. */
  static final int VECTOR = 16;

  public Sm120GemmConfig {
    if (tileM != ScaleCopy.ROWS || tileN != ScaleCopy.ROWS) {
      throw new TraceException("a tile of " + tileM + "x" + tileN + " does not have whole tiles of scales: "
          + ScaleCopy.ROWS + "x" + ScaleCopy.ROWS);
    }
  }

  private BlockScaledMma mma() {
    return new BlockScaledMma(types);
  }

  /** Tiles of scales along k that a stage holds of each operand. */
  int scaleTiles() {
    return tileK / BlockScaledMma.DEPTH_BYTES * mma().scales() / BlockScaledMma.SCALES;
  }

  TiledMma.Shape shape() {
    return new TiledMma.Shape(tileM, tileN, tileK, warpsM, warpsN, true, true);
  }

  int threads() {
    return shape().threads();
  }

  TensorSpec operand(String name, String rows) {
    return TensorSpec.of(name, ElementType.I8, rows, "K", "L").contiguous("K").aligned(VECTOR).multipleOf("K", tileK);
  }

  /** Tiles of scales along k, the words of a tile, tiles along the rows, and the batch. */
  TensorSpec scales(String name, String rows) {
    return TensorSpec.of(name, ElementType.I32, "SK", "SW", rows, "L").contiguous("SW").aligned(4)
        .fixed("SW", StagedScales.WORDS);
  }

  TensorSpec c() {
    var spec = TensorSpec.of("C", types.output(), "M", "N", "L");
    return neighbours == 1 ? spec : spec.contiguous("N").aligned(neighbours).multipleOf("N", neighbours);
  }
}
