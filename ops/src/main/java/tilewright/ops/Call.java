package tilewright.ops;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.numerics.ElementType;

/**
 * One call of an operator: its tensors by the names that the kernel has for them. A plan depends on their types, shapes
 * and on where they lie in the {@value Storage#ALIGNMENT} bytes that all memory is aligned to, not on the memory.
 */
final class Call {
  private final Ops ops;
  private final String operator;
  private final Map<String, Operand> operands = new LinkedHashMap<>();

  /** A tensor under another shape of the same elements. */
  private record Operand(DeviceTensor tensor, Shape shape) {
    long phase() {
      return tensor.offset() % Storage.ALIGNMENT;
    }

    Storage.Place place() {
      long begin = tensor.offset() - phase();
      long bytes = Math.max(1, phase() + tensor.type().bytes(shape.span()));
      return new Storage.Place(tensor.storage(), begin, bytes);
    }
  }

  private record Problem(String operator, List<Form> forms, Object options) {}

  private record Form(String name, ElementType type, Shape shape, long phase) {}

  Call(Ops ops, String operator) {
    this.ops = ops;
    this.operator = operator;
  }

  Call with(String name, DeviceTensor tensor) {
    return with(name, tensor, tensor.form());
  }

  Call with(String name, DeviceTensor tensor, Shape shape) {
    operands.put(name, new Operand(tensor, shape));
    return this;
  }

  /** Bytes from a buffer's begin to its tensor. */
  long phase(String name) {
    return operands.get(name).phase();
  }

  LaunchArguments.Tensor argument(String name) {
    var operand = operands.get(name);
    return new LaunchArguments.Tensor(name, operand.phase(), operand.shape.extents(), operand.shape.strides());
  }

  /**
   * The place of a tensor (B,S,H,D) as attention's kernels take it. A mode of extent 1 may have any stride: one that
   * keeps others aligned.
   */
  View view(String name) {
    var at = argument(name);
    int last = at.extents().size() - 1;
    var strides = IntStream.rangeClosed(0, last).mapToLong(mode -> at.extents().get(mode) == 1 && mode < last
        ? at.extents().get(last) * 16 : at.strides().get(mode)).toArray();
    return new View(name, at.offset(), strides[0], strides[1], strides[2], strides[last]);
  }

  /** The place of a number for each row, (B,H,S), as attention's kernels take it. */
  View rowView(String name) {
    var at = argument(name);
    return new View(name, at.offset(), at.strides().get(0), at.strides().get(2), at.strides().get(1), 1);
  }

  /** The most elements, a power of two up to 16 bytes, that a tensor's rows along the last mode are aligned to. */
  int alignment(String name) {
    var operand = operands.get(name);
    int last = operand.shape.rank() - 1;
    int bytes = operand.tensor.type().bytes();
    int alignment = 16 / bytes;
    for (; alignment > 1; alignment /= 2) {
      int elements = alignment;
      if (operand.phase() % ((long) elements * bytes) == 0
          && operand.shape.strides().stream().limit(last).allMatch(stride -> stride % elements == 0)) {
        break;
      }
    }
    return alignment;
  }

  /**
   * Runs the plan that was prepared for an equal call, or a new one.
   *
   * @param options with equality: all that the plan depends on beside the tensors
   */
  void run(Object options, Supplier<Plan> prepare) {
    var forms = new ArrayList<Form>();
    var places = new HashMap<String, Storage.Place>();
    operands.forEach((name, operand) -> {
      ops.requireOwn(operand.tensor);
      forms.add(new Form(name, operand.tensor.type(), operand.shape, operand.phase()));
      places.put(name, operand.place());
    });
    ops.run(new Problem(operator, List.copyOf(forms), options), prepare, places);
  }
}
