package tilewright.kernels.attention;

import java.util.stream.Stream;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.serving.Serving;

/**
 * The gradients of attention: dQ (B,Sq,H,D), dK (B,Sk,Hk,D) and dV (B,Sk,Hk,Dv) from Q, K, V, O, LSE and dO
 * (B,Sq,H,Dv). Heads of Q that share a head of K and V add up in its dK and dV. A query that sees no key has dQ = 0; a
 * key that no query sees has dK = dV = 0.
 *
 * @param forward the problem whose O and LSE are given
 * @param deterministic whether every run adds in the same order, so that the bits of dQ, dK and dV are the same
 */
public record AttentionBackwardProblem(AttentionProblem forward, View dO, View dQ, View dK, View dV,
    boolean deterministic) {
  public AttentionBackwardProblem {
    if (forward.lse().isEmpty()) {
      throw new IllegalArgumentException("gradients need the logarithms: the forward pass must store LSE");
    }
    if (forward.quantized().isPresent()) {
      throw new IllegalArgumentException("no gradients of " + forward.format()
          + " operands: give 16-bit Q, K and V");
    }
    if (!forward.serving().equals(Serving.NONE)) {
      throw new IllegalArgumentException("no gradients of caches and split keys: leave splits, lengths and pages out");
    }
    if (forward.sinks().isPresent()) {
      throw new IllegalArgumentException("no gradients of attention with sinks: leave them out");
    }
    if (deterministic && !forward.modification().captures().differentiated().isEmpty()) {
      throw new IllegalArgumentException("no deterministic gradients of captured tensors, which are added to in any "
          + "order: leave out one or the other");
    }
  }

  /** Dense tensors named dO, dQ, dK and dV, (B,S,H,D) in memory. */
  public static AttentionBackwardProblem dense(AttentionProblem forward) {
    var s = forward.sizes();
    return new AttentionBackwardProblem(forward, View.bshd("dO", s.queries(), s.heads(), s.valueDim()),
        View.bshd("dQ", s.queries(), s.heads(), s.headDim()), View.bshd("dK", s.keys(), s.keyHeads(), s.headDim()),
        View.bshd("dV", s.keys(), s.keyHeads(), s.valueDim()), false);
  }

  /** Returns this problem with its gradients elsewhere. */
  public AttentionBackwardProblem at(View otherO, View otherQ, View otherK, View otherV) {
    return new AttentionBackwardProblem(forward, otherO, otherQ, otherK, otherV, deterministic);
  }

  /** Returns this problem with a fixed order of additions, or without. */
  public AttentionBackwardProblem deterministic(boolean fixed) {
    return new AttentionBackwardProblem(forward, dO, dQ, dK, dV, fixed);
  }

  /** Returns this problem with the gradient of a captured tensor. */
  public AttentionBackwardProblem differentiating(String captured) {
    var modification = forward.modification();
    var other = forward.with(modification.with(modification.captures().differentiating(captured)));
    return new AttentionBackwardProblem(other, dO, dQ, dK, dV, deterministic);
  }

  /** The tensors of 16-bit elements, inputs before results. */
  public Stream<View> views() {
    return Stream.of(forward.q(), forward.k(), forward.v(), forward.o(), dO, dQ, dK, dV);
  }
}
