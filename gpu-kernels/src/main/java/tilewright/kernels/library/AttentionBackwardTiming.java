package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;

/**
 * The timing of a kernel of attention's gradients on FlashAttention's own problems; {@code deterministic} fixes the
 * order of additions.
 *
 * @param forward the kernel that makes O and LSE, untimed
 */
record AttentionBackwardTiming(AttentionBackwardKernel kernel, AttentionKernel forward) implements Timing {
  private static final String DETERMINISTIC = "deterministic";

  @Override
  public Set<String> settings() {
    var all = new HashSet<>(MeasuredAttention.SETTINGS);
    all.add(DETERMINISTIC);
    return all;
  }

  @Override
  public List<Supplier<TimedProblem>> problems(TimingRequest request) {
    var fixed = request.values(DETERMINISTIC, "false").stream().map(Boolean::parseBoolean).toList();
    return MeasuredAttention.of(request).stream().flatMap(measured -> fixed.stream()
        .<Supplier<TimedProblem>>map(deterministic -> () -> timed(measured, deterministic))).toList();
  }

  private TimedProblem timed(MeasuredAttention measured, boolean deterministic) {
    var p = measured.problem();
    var s = p.sizes();
    var all = new ArrayList<>(measured.inputs());
    all.addAll(measured.results());
    all.add(TimedProblem.Tensor.input("dO", p.type(), measured.ofQueries(s.valueDim())));
    all.add(TimedProblem.Tensor.output("dQ", p.type(), measured.ofQueries(s.headDim())));
    all.add(TimedProblem.Tensor.output("dK", p.type(), measured.ofKeys(s.headDim())));
    all.add(TimedProblem.Tensor.output("dV", p.type(), measured.ofKeys(s.valueDim())));
    long bytes = all.stream().mapToLong(TimedProblem.Tensor::bytes).sum();
    // Three products over the head dimension, dQ and dK among them, and two over that of V.
    double operations = 2 * measured.pairs() * (3.0 * s.headDim() + 2.0 * s.valueDim());
    all.addAll(AttentionTiming.zeros(forward, p));
    all.addAll(measured.bounds());
    all.addAll(measured.data());
    var peer = new HashMap<>(measured.peer());
    peer.put("backward", true);
    var problem = AttentionBackwardProblem.dense(p).deterministic(deterministic);
    var before = new ArrayList<>(List.of(forward.prepare(p.skipping(false))));
    if (p.blockMask()) {
      var lists = kernel.tileMask(problem);
      lists.elements().forEach((name, elements) ->
          all.add(TimedProblem.Tensor.output(name, ElementType.I32, elements)));
      before.addAll(lists.launches());
    }
    return new TimedProblem(kernel.name(), kernel.arch(), measured.config(deterministic ? " deterministic" : ""),
        kernel.prepare(problem), all, bytes, operations, peer, before);
  }
}
