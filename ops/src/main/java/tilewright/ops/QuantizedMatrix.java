package tilewright.ops;

/**
 * A matrix (M,K) of e4m3 codes with FP32 factors: element ≈ code · factor.
 *
 * @param codes e4m3 (M,K)
 * @param factors f32 (M,⌈K/128⌉), one for each 128 of k in a row, or (⌈M/128⌉,⌈K/128⌉), one for each 128×128
 */
public record QuantizedMatrix(DeviceTensor codes, DeviceTensor factors) implements AutoCloseable {

  /** The blocks that share a factor. */
  public enum Blocks {
    /** 128 of k in a row: for activations. */
    ROWS,
    /** 128 of k in 128 rows: for weights. */
    SQUARES
  }

  @Override
  public void close() {
    codes.close();
    factors.close();
  }
}
