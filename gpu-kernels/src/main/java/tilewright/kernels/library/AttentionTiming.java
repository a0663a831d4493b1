package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;

/** The timing of a kernel of attention on FlashAttention's own problems. */
record AttentionTiming(AttentionKernel kernel) implements Timing {
  @Override
  public Set<String> settings() {
    return MeasuredAttention.SETTINGS;
  }

  @Override
  public List<Supplier<TimedProblem>> problems(TimingRequest request) {
    return MeasuredAttention.of(request).stream().<Supplier<TimedProblem>>map(m -> () -> timed(m)).toList();
  }

  private TimedProblem timed(MeasuredAttention measured) {
    var p = measured.problem();
    var all = new ArrayList<>(measured.inputs());
    all.addAll(measured.results());
    all.addAll(measured.factors());
    long bytes = all.stream().mapToLong(TimedProblem.Tensor::bytes).sum();
    double operations = 2 * measured.pairs() * (p.sizes().headDim() + p.sizes().valueDim());
    all.addAll(zeros(kernel, p));
    all.addAll(measured.bounds());
    all.addAll(measured.data());
    if (!p.blockMask()) {
      return new TimedProblem(kernel.name(), kernel.arch(), measured.config(""), kernel.prepare(p), all, bytes,
          operations, measured.peer());
    }
    var lists = kernel.blockMask(p);
    BlockMask.BUFFERS.forEach(name -> all.add(TimedProblem.Tensor.output(name, ElementType.I32, lists.elements())));
    return new TimedProblem(kernel.name(), kernel.arch(), measured.config(""), kernel.prepare(p), all, bytes,
        operations, measured.peer(), List.of(lists.prepare()));
  }

  /** Zeros that each launch of a kernel leaves so. */
  static List<TimedProblem.Tensor> zeros(AttentionKernel kernel, AttentionProblem p) {
    return kernel.zeros(p).entrySet().stream().map(zeros -> new TimedProblem.Tensor(zeros.getKey(), ElementType.I32,
        zeros.getValue() / Integer.BYTES, new TimedProblem.Content.Indices(1))).toList();
  }
}
