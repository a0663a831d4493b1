package tilewright.reference;

import java.util.Arrays;

/**
 * Gradients of attention in FP64, in closed form: with P the softmax's weights and dP = dO·Vᵀ,
 * dS = P ∘ (dP − rowsum(dO ∘ O)), dQ = scale · dS·K, dK = scale · dSᵀ·Q, dV = Pᵀ·dO (FlashAttention, appendix B).
 * Indices as in {@link AttentionReference}; heads that share keys add up.
 */
public record AttentionGradient(double[] dq, double[] dk, double[] dv) {

  /** @param dO in the order of O's indices */
  public static AttentionGradient of(AttentionReference forward, double[] dO) {
    var q = AttentionReference.rows(forward.q());
    var k = AttentionReference.rows(forward.k());
    var v = AttentionReference.rows(forward.v());
    var dq = new double[q.length][];
    var dk = new double[k.length][AttentionReference.extent(forward.k(), 3)];
    var dv = new double[v.length][AttentionReference.extent(forward.v(), 3)];
    for (int row = 0; row < q.length; row++) dq[row] = backward(forward, row, q[row], k, v, dO, dk, dv);
    return new AttentionGradient(columnMajor(dq), columnMajor(dk), columnMajor(dv));
  }

  /** One query's part: adds to dK and dV, gives dQ. */
  private static double[] backward(AttentionReference forward, int index, double[] q, double[][] k, double[][] v,
      double[] dO, double[][] dk, double[][] dv) {
    int batches = forward.batches();
    int batch = index % batches;
    int query = index / batches % forward.queries();
    int head = index / batches / forward.queries();
    int rows = batches * forward.queries() * forward.heads();
    var scaled = new double[forward.keys()];
    var scores = new double[forward.keys()];
    for (int key = 0; key < scores.length; key++) {
      scaled[key] = forward.scale() * dot(q, k[forward.rowOfKeys(batch, key, head)]);
      scores[key] = forward.rule().visible(batch, head, query, key)
          ? forward.rule().change(scaled[key], batch, head, query, key) : Double.NEGATIVE_INFINITY;
    }
    var row = AttentionReference.exponentials(scores);
    var p = Arrays.stream(row.weights()).map(e -> row.empty() ? 0 : e / row.sum()).toArray();
    var dP = new double[p.length];
    double delta = 0;
    for (int key = 0; key < p.length; key++) {
      int at = forward.rowOfKeys(batch, key, head);
      for (int d = 0; d < v[at].length; d++) {
        double gradient = dO[index + rows * d];
        dP[key] += gradient * v[at][d];
        dv[at][d] += p[key] * gradient;
      }
      delta += p[key] * dP[key];
    }
    var dq = new double[q.length];
    for (int key = 0; key < p.length; key++) {
      if (p[key] == 0) continue;
      int at = forward.rowOfKeys(batch, key, head);
      double dS = p[key] * (dP[key] - delta) * forward.rule().slope(scaled[key], batch, head, query, key)
          * forward.scale();
      for (int d = 0; d < q.length; d++) {
        dq[d] += dS * k[at][d];
        dk[at][d] += dS * q[d];
      }
    }
    return dq;
  }

  private static double dot(double[] x, double[] y) {
    double sum = 0;
    for (int i = 0; i < x.length; i++) sum += x[i] * y[i];
    return sum;
  }

  private static double[] columnMajor(double[][] rows) {
    if (rows.length == 0) return new double[0];
    var all = new double[rows.length * rows[0].length];
    for (int row = 0; row < rows.length; row++) {
      for (int d = 0; d < rows[row].length; d++) all[row + rows.length * d] = rows[row][d];
    }
    return all;
  }
}
