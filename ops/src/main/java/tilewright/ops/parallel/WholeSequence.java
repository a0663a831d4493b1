package tilewright.ops.parallel;

import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/**
 * A tensor of all tokens in their order, of which ranks have chunks.
 *
 * @param tensor (S,B,H,D), so that chunks lie without gaps
 */
record WholeSequence(ZigZag order, DeviceTensor tensor) implements AutoCloseable {
  static WholeSequence empty(Ops ops, ZigZag order, ElementType type, long batch, long heads, long dim) {
    return new WholeSequence(order, ops.empty(type, order.tokens(), batch, heads, dim));
  }

  /** All tokens (B,S,H,D). */
  DeviceTensor view() {
    return tensor.transpose(0, 1);
  }

  /** The first or second chunk (S,B,H,D) of a rank. */
  DeviceTensor chunk(int rank, int half) {
    long chunk = half == 0 ? rank : order.second(rank);
    return tensor.slice(0, chunk * order.chunk(), (chunk + 1) * order.chunk());
  }

  @Override
  public void close() {
    tensor.close();
  }
}
