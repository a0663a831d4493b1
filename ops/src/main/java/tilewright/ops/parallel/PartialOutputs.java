package tilewright.ops.parallel;

import tilewright.numerics.ElementType;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/** Attention of some queries on parts of the keys, one part after the other, which make one state. */
final class PartialOutputs implements AutoCloseable {
  private final Ops ops;
  private final AttentionState result;
  private final int parts;
  private final AttentionState states;
  private int added;

  /** @param parts of the keys; with one, attention writes the result itself */
  PartialOutputs(AttentionState result, int parts) {
    var output = result.output();
    this.ops = output.ops();
    this.result = result;
    this.parts = parts;
    long room = parts == 1 ? 0 : parts;
    states = new AttentionState(
        ops.empty(output.type(), room, output.size(0), output.size(1), output.size(2), output.size(3)),
        ops.empty(ElementType.F32, room, output.size(0), output.size(2), output.size(1)));
  }

  void add(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options) {
    if (parts == 1) {
      ops.attention(q, k, v, options, result);
      return;
    }
    ops.attention(q, k, v, options,
        new AttentionState(states.output().select(0, added), states.logarithms().select(0, added)));
    added++;
  }

  /** Writes the state of all parts. */
  void merge() {
    if (parts > 1) ops.caches().merge(states, result);
  }

  @Override
  public void close() {
    states.close();
  }
}
