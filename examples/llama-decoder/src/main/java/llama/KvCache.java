package llama;

import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/** Keys and values of the tokens so far: (layers, 2, batch, capacity, heads, dim), filled from the front. */
final class KvCache implements AutoCloseable {
  static final int KEYS = 0;
  static final int VALUES = 1;

  private final Ops ops;
  private final DeviceTensor all;
  private int length;

  KvCache(Ops ops, LlamaConfig c, int batch, int capacity) {
    this.ops = ops;
    all = ops.empty(ElementType.BF16, c.layers(), 2, batch, capacity, c.kvHeads(), c.headDim());
  }

  /** Tokens whose keys and values every layer has. */
  int length() {
    return length;
  }

  /** Counts tokens that every layer has appended. */
  void advance(int tokens) {
    length += tokens;
  }

  /** Appends a layer's keys or values (batch, tokens, heads, dim), and returns those of all tokens: a view. */
  DeviceTensor append(int layer, int part, DeviceTensor added) {
    var cache = all.select(0, layer).select(0, part);
    long end = length + added.size(1);
    ops.copy(added, cache.slice(1, length, end));
    return cache.slice(1, 0, end);
  }

  @Override
  public void close() {
    all.close();
  }
}
