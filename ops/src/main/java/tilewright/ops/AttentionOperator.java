package tilewright.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.library.AttentionBackwardDescription;
import tilewright.kernels.library.AttentionDescription;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;

/** O = softmax(scale · Q·Kᵀ)·V and its gradients, each by the first kernel that computes the problem. */
final class AttentionOperator {
  private static final int MODES = 4;

  private final Ops ops;
  private final List<AttentionKernel> kernels;
  private final List<AttentionBackwardKernel> backward;

  AttentionOperator(Ops ops, Machine machine, KernelRegistry registry) {
    this.ops = ops;
    kernels = registry.kernels().stream().filter(AttentionDescription.class::isInstance)
        .map(AttentionDescription.class::cast).filter(d -> machine.preference(d.target()) >= 0)
        .sorted(Comparator.comparing((AttentionDescription d) -> -machine.preference(d.target())))
        .map(AttentionDescription::kernel).toList();
    backward = registry.kernels().stream().filter(AttentionBackwardDescription.class::isInstance)
        .map(AttentionBackwardDescription.class::cast).filter(d -> machine.preference(d.target()) >= 0)
        .sorted(Comparator.comparing((AttentionBackwardDescription d) -> -machine.preference(d.target())))
        .map(AttentionBackwardDescription::kernel).toList();
  }

  DeviceTensor apply(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options) {
    var sizes = sizes(q, k, v);
    var result = ops.empty(q.type(), sizes.batch(), sizes.queries(), sizes.heads(), sizes.valueDim());
    return ops.computed(result, () -> compute(q, k, v, options, result, Optional.empty()));
  }

  /** Writes the output, and the logarithms (B,H,Sq) of the rows' sums where they are asked for. */
  void apply(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options, DeviceTensor into,
      Optional<DeviceTensor> logarithms) {
    var sizes = sizes(q, k, v);
    ops.memory().requireWritable(into);
    logarithms.ifPresent(ops.memory()::requireWritable);
    requireForm("the output", into, q.type(), sizes.batch(), sizes.queries(), sizes.heads(), sizes.valueDim());
    logarithms.ifPresent(logs -> requireForm("the logarithms", logs, ElementType.F32, sizes.batch(), sizes.heads(),
        sizes.queries()));
    compute(q, k, v, options, into, logarithms);
  }

  AttentionGradients gradients(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionState forward,
      DeviceTensor gradient, AttentionOptions options) {
    sizes(q, k, v);
    var result = new AttentionGradients(ops.empty(q.type(), q.shape()), ops.empty(q.type(), k.shape()),
        ops.empty(q.type(), v.shape()));
    try {
      gradients(q, k, v, forward, gradient, options, result);
      return result;
    } catch (RuntimeException e) {
      result.close();
      throw e;
    }
  }

  /** Writes the gradients by Q, K and V, from that by the output. */
  void gradients(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionState forward, DeviceTensor gradient,
      AttentionOptions options, AttentionGradients into) {
    var s = sizes(q, k, v);
    List.of(forward.output(), forward.logarithms(), gradient).forEach(ops::requireOwn);
    List.of(into.q(), into.k(), into.v()).forEach(ops.memory()::requireWritable);
    requireForm("the output", forward.output(), q.type(), s.batch(), s.queries(), s.heads(), s.valueDim());
    requireForm("the logarithms", forward.logarithms(), ElementType.F32, s.batch(), s.heads(), s.queries());
    requireForm("the gradient of the output", gradient, q.type(), forward.output().shape());
    requireForm("the gradient of q", into.q(), q.type(), q.shape());
    requireForm("the gradient of k", into.k(), q.type(), k.shape());
    requireForm("the gradient of v", into.v(), q.type(), v.shape());
    if (q.elements() == 0 || k.elements() == 0 || v.elements() == 0) {
      throw new IllegalArgumentException("no gradients of attention of " + q + " on " + k + ": there is nothing in it");
    }
    try (var rowsQ = Held.neighbours(q); var rowsK = Held.neighbours(k); var rowsV = Held.neighbours(v);
        var rowsO = Held.neighbours(forward.output()); var rowsG = Held.neighbours(gradient)) {
      var call = new Call(ops, "attention_backward").with("Q", rowsQ.tensor()).with("K", rowsK.tensor())
          .with("V", rowsV.tensor()).with("O", rowsO.tensor()).with("LSE", forward.logarithms())
          .with("dO", rowsG.tensor()).with("dQ", into.q()).with("dK", into.k()).with("dV", into.v());
      call.run(options, () -> {
        var attention = Attention.forward(q.type(), s).logSumExp(Optional.of(call.rowView("LSE")))
            .tensors(call.view("Q"), call.view("K"), call.view("V"), call.view("O"));
        options.apply(attention);
        return Plan.of(attention.backward().tensors(call.view("dO"), call.view("dQ"), call.view("dK"),
            call.view("dV")).prepare(backward), Map.of());
      });
    }
  }

  private static void requireForm(String what, DeviceTensor tensor, ElementType type, long... extents) {
    if (tensor.type() == type && Arrays.equals(tensor.shape(), extents)) return;
    throw new IllegalArgumentException(what + " of this attention cannot be " + tensor + ": needed is " + type.text()
        + Shape.rowMajor(extents));
  }

  private Sizes sizes(DeviceTensor q, DeviceTensor k, DeviceTensor v) {
    for (var tensor : List.of(q, k, v)) {
      ops.requireOwn(tensor);
      if (tensor.rank() != MODES) {
        throw new IllegalArgumentException("attention takes (B,S,H,D), not " + tensor);
      }
    }
    if (q.type() != k.type() || q.type() != v.type()
        || q.type() != ElementType.BF16 && q.type() != ElementType.F16) {
      throw new IllegalArgumentException("no attention of " + q.type().text() + ", " + k.type().text() + " and "
          + v.type().text() + ": all f16 or all bf16; ops.convert makes them");
    }
    if (k.size(0) != q.size(0) || v.size(0) != q.size(0) || k.size(3) != q.size(3) || v.size(1) != k.size(1)
        || v.size(2) != k.size(2)) {
      throw new IllegalArgumentException("q " + q + ", k " + k + " and v " + v + " do not fit: needed are (B,Sq,H,D), "
          + "(B,Sk,Hk,D) and (B,Sk,Hk,Dv)");
    }
    return new Sizes(extent(q, 0), extent(q, 1), extent(k, 1), extent(q, 2), extent(k, 2), extent(q, 3), extent(v, 3));
  }

  private static int extent(DeviceTensor tensor, int mode) {
    return Math.toIntExact(tensor.size(mode));
  }

  private void compute(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options, DeviceTensor into,
      Optional<DeviceTensor> logarithms) {
    if (into.elements() == 0) return;
    try (var rowsQ = Held.neighbours(q); var rowsK = Held.neighbours(k); var rowsV = Held.neighbours(v)) {
      var call = new Call(ops, "attention").with("Q", rowsQ.tensor()).with("K", rowsK.tensor())
          .with("V", rowsV.tensor()).with("O", into);
      logarithms.ifPresent(logs -> call.with("LSE", logs));
      call.run(options, () -> prepare(Attention.forward(q.type(), sizes(q, k, v))
          .logSumExp(logarithms.map(_ -> call.rowView("LSE")))
          .tensors(call.view("Q"), call.view("K"), call.view("V"), call.view("O")), options));
    }
  }

  /** The launches of the first kernel that computes it. */
  Plan prepare(Attention attention, AttentionOptions options) {
    options.apply(attention);
    var problem = attention.problem();
    var reasons = new ArrayList<String>();
    for (var kernel : kernels) {
      var reason = kernel.refusal(problem);
      if (reason.isEmpty()) {
        try {
          var launches = problem.serving().scatters() ? kernel.launches(problem)
              : LaunchSequence.of(kernel.prepare(problem));
          return Plan.of(launches, kernel.zeros(problem));
        } catch (IllegalArgumentException e) {
          // Some learn only from the tensors that they cannot compute them.
          reason = Optional.of(e.getMessage());
        }
      }
      reasons.add(kernel.name() + ": " + reason.get());
    }
    throw new IllegalArgumentException("no kernel computes this attention: " + String.join("; ", reasons));
  }
}
