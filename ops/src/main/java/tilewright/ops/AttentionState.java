package tilewright.ops;

/**
 * Attention on some keys, which can be merged with that on others.
 *
 * @param output (B,Sq,H,Dv), or (N,B,Sq,H,Dv) of several states
 * @param logarithms of the rows' sums of exponentials: f32 (B,H,Sq), or (N,B,H,Sq); −∞ for a row without keys
 */
public record AttentionState(DeviceTensor output, DeviceTensor logarithms) implements AutoCloseable {
  @Override
  public void close() {
    output.close();
    logarithms.close();
  }
}
