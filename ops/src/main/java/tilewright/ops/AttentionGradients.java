package tilewright.ops;

/**
 * The gradients of attention by its inputs, each of its input's shape.
 *
 * @param q (B,Sq,H,D)
 * @param k (B,Sk,Hk,D), the sum over the heads of Q that read a head of K and V
 * @param v (B,Sk,Hk,Dv)
 */
public record AttentionGradients(DeviceTensor q, DeviceTensor k, DeviceTensor v) implements AutoCloseable {
  @Override
  public void close() {
    q.close();
    k.close();
    v.close();
  }
}
