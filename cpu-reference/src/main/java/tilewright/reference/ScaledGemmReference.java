package tilewright.reference;

/**
 * A product of 8-bit floats with scales: C = alpha·(SA·A)·(SB·B)ᵀ, where a row of A has a scale for each 128 of k, and
 * 128 rows of B have one (DeepSeek-V3, 3.3.2).
 *
 * @param scalesA (M, ⌈K/128⌉, L); likewise scalesB (⌈N/128⌉, ⌈K/128⌉, L)
 */
public record ScaledGemmReference(GemmReference product, TensorView scalesA, TensorView scalesB) {
  /** Rows of B and steps of k that share a scale. */
  public static final int BLOCK = 128;

  /** Computes the result in FP64 from the exact inputs. */
  public double[] exact(int[] rows) {
    return product.exact(BLOCK, this::scale, rows);
  }

  /** Sums 128 of k at a time as {@code wgmma} does, and adds these sums times their scales in FP32. */
  public double[] onWarpgroups(int[] rows) {
    return product.onWarpgroups(BLOCK, this::scale, rows);
  }

  private float scale(boolean ofA, int row, int block) {
    int rows = Math.toIntExact((ofA ? product.a() : product.b()).layout().mode(0).size());
    int inBatch = row % rows;
    return ofA ? element(scalesA, inBatch, block, row / rows) : element(scalesB, inBatch / BLOCK, block, row / rows);
  }

  private static float element(TensorView scales, int row, int block, int batch) {
    long rows = scales.layout().mode(0).size();
    return (float) scales.value(row + rows * (block + scales.layout().mode(1).size() * batch));
  }
}
