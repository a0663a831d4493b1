package tilewright.reference;

import java.util.stream.IntStream;

/**
 * The gradients of attention by Q (B,Sq,H,D), K (B,Sk,Hk,D) and V (B,Sk,Hk,Dv) from that by O, in closed form
 * (FlashAttention-2, section 3.1.2; FlashAttention-3, appendix B): with P = exp(S − LSE), dP = dO·Vᵀ and
 * D = rowsum(O ∘ dO), dS = P ∘ (dP − D) ∘ rule′, dQ = scale · dS·K, dK = scale · dSᵀ·Q and dV = Pᵀ·dO. Heads of Q that
 * share a head of K and V add up in its dK and dV. Keys that a query does not see contribute nothing, whatever their
 * values; a query that sees none has dQ = 0. Packed sequences are problems of their own, on views.
 *
 * @param dO (B,Sq,H,Dv), any strides
 */
public record AttentionGradient(AttentionReference forward, TensorView dO) {
  public AttentionGradient {
    AttentionReference.require(forward.factors().isEmpty(), "gradients are of operands without factors");
    AttentionReference.require(forward.sinks().isEmpty(), "gradients are of attention without sinks");
    AttentionReference.require(dO.layout().rank() == 4, "dO has four modes");
    for (int mode = 0; mode < 4; mode++) {
      int expected = AttentionReference.extent(mode < 3 ? forward.q() : forward.v(), mode);
      AttentionReference.require(AttentionReference.extent(dO, mode) == expected,
          "dO and O agree in mode " + mode + ": " + AttentionReference.extent(dO, mode) + " and " + expected);
    }
  }

  /** The gradients in the order of the indices of Q, K and V. */
  public record Result(double[] dq, double[] dk, double[] dv) {}

  /** Computes the gradients in FP64 from the exact inputs. */
  public Result exact() {
    return run(Precision.FP64);
  }

  /**
   * Computes the gradients step by step as a kernel does: from O in the operands' type and LSE in FP32; sums in FP32; P
   * and dS rounded to the operands' type before the GEMMs that read them; the scale last.
   */
  public Result stepwise() {
    return run(Precision.fp32(forward.q().type()));
  }

  private Result run(Precision precision) {
    var operands = forward.operands();
    var gradients = AttentionReference.rows(dO);
    var result = forward.run(precision);
    int width = AttentionReference.extent(forward.q(), 3);
    var dq = new double[operands.q().length][width];
    var dk = new double[operands.k().length][width];
    var dv = new double[operands.v().length][AttentionReference.extent(forward.v(), 3)];
    int heads = AttentionReference.extent(forward.k(), 2);
    // The rows of Q that add to one head's dK and dV stay on one thread.
    IntStream.range(0, forward.batches() * heads).parallel().forEach(task -> {
      for (int row = 0; row < dq.length; row++) {
        if (forward.batchOf(row) + forward.batches() * forward.headOfKeys(forward.headOf(row)) != task) continue;
        var o = new double[gradients[row].length];
        for (int d = 0; d < o.length; d++) o[d] = result.o()[row + dq.length * d];
        double delta = precision.dot(o, gradients[row]);
        backward(precision, operands, row, gradients[row], result.lse()[row], delta, dq[row], dk, dv);
      }
    });
    return new Result(results(precision, dq, forward.scale()), results(precision, dk, forward.scale()),
        results(precision, dv, 1));
  }

  /** Adds one query's part to its dQ and to the dK and dV of the keys that it sees. */
  private void backward(Precision precision, AttentionReference.Operands operands, int row, double[] gradient,
      double lse, double delta, double[] dq, double[][] dk, double[][] dv) {
    var scores = forward.scores(precision, AttentionGemms.of(precision, operands), row);
    for (int key = 0; key < scores.read().length; key++) {
      if (!scores.sees(key)) continue;
      int at = scores.read()[key];
      double p = precision.accumulator(Math.exp(precision.accumulator(scores.changed()[key] - lse)));
      double dP = precision.dot(gradient, operands.v()[at]);
      double slope = forward.rule().slope(scores.scaled()[key], forward.batchOf(row), forward.headOf(row),
          forward.queryOf(row), key);
      double dChanged = precision.accumulator(p * precision.accumulator(dP - delta));
      double dS = precision.operand(precision.accumulator(dChanged * precision.accumulator(slope)));
      precision.addRow(dv[at], precision.operand(p), gradient);
      precision.addRow(dk[at], dS, operands.q()[row]);
      precision.addRow(dq, dS, operands.k()[at]);
    }
  }

  /** Scaled rows, rounded, in the order of their indices: the row goes fastest. */
  private static double[] results(Precision precision, double[][] rows, double scale) {
    if (rows.length == 0) return new double[0];
    var all = new double[rows.length * rows[0].length];
    for (int row = 0; row < rows.length; row++) {
      for (int d = 0; d < rows[row].length; d++) {
        all[row + rows.length * d] = precision.result(precision.accumulator(precision.accumulator(scale)
            * rows[row][d]));
      }
    }
    return all;
  }
}
