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
    return product.exact(BLOCK, scales(), rows);
  }

  /** Sums 128 of k at a time as {@code wgmma} does, and adds these sums times their scales in FP32. */
  public double[] onWarpgroups(int[] rows) {
    return product.onWarpgroups(BLOCK, scales(), rows);
  }

  /** Reads all scales at once: each is asked for once per element of k. */
  private GemmReference.Scales scales() {
    var ofA = Table.of(scalesA, product.a());
    var ofB = Table.of(scalesB, product.b());
    return (a, row, block) -> a ? ofA.at(row, block, 1) : ofB.at(row, block, BLOCK);
  }

  /**
   * The scales of an operand, in the order of their indices.
   *
   * @param rows of the operand in one entry of the batch
   * @param blocks of rows, and of k
   */
  private record Table(double[] scales, int rows, int blocks, int steps) {
    static Table of(TensorView scales, TensorView operand) {
      var layout = scales.layout();
      return new Table(scales.values(), Math.toIntExact(operand.layout().mode(0).size()),
          Math.toIntExact(layout.mode(0).size()), Math.toIntExact(layout.mode(1).size()));
    }

    float at(int row, int step, int rowsPerBlock) {
      return (float) scales[row % rows / rowsPerBlock + blocks * (step + steps * (row / rows))];
    }
  }
}
