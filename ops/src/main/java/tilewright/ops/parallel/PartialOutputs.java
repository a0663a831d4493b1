package tilewright.ops.parallel;

import tilewright.numerics.ElementType;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/** Attention of some queries on parts of the keys, one part after the other, which make one output. */
final class PartialOutputs implements AutoCloseable {
  private final Ops ops;
  private final DeviceTensor output;
  private final int parts;
  private final AttentionState states;
  private int added;

  /** @param parts of the keys; with one, attention writes the output itself */
  PartialOutputs(DeviceTensor q, DeviceTensor output, int parts) {
    this.ops = q.ops();
    this.output = output;
    this.parts = parts;
    long room = parts == 1 ? 0 : parts;
    states = new AttentionState(
        ops.empty(q.type(), room, output.size(0), output.size(1), output.size(2), output.size(3)),
        ops.empty(ElementType.F32, room, output.size(0), output.size(2), output.size(1)));
  }

  void add(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options) {
    if (parts == 1) {
      ops.attention(q, k, v, options, output);
      return;
    }
    ops.attention(q, k, v, options,
        new AttentionState(states.output().select(0, added), states.logarithms().select(0, added)));
    added++;
  }

  /** Writes the output of all parts. */
  void merge() {
    if (parts > 1) ops.caches().merge(states, output);
  }

  @Override
  public void close() {
    states.close();
  }
}
