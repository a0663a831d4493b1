package tilewright.reference;

import java.util.Arrays;
import java.util.stream.IntStream;
import tilewright.layout.Layout;

/**
 * O = softmax(rule(scale · Q·Kᵀ)) · V for Q (B,Sq,H,D), K (B,Sk,Hk,D), V (B,Sk,Hk,Dv), any strides; head h of Q
 * reads head h·Hk/H of K and V. O is (B,Sq,H,Dv) and LSE, the logarithm of each row's sum of exponentials, (B,Sq,H);
 * results in the order of their indices (b fastest). A query that sees no key has O = 0 and LSE = −∞.
 */
public record AttentionReference(TensorView q, TensorView k, TensorView v, double scale, ScoreRule rule) {
  public AttentionReference {
    require(q.layout().rank() == 4 && k.layout().rank() == 4 && v.layout().rank() == 4, "Q, K and V have four modes");
    for (int mode = 0; mode < 3; mode++) {
      require(extent(k, mode) == extent(v, mode), "K and V agree in mode " + mode + ": " + extent(k, mode) + " and "
          + extent(v, mode));
    }
    require(extent(q, 0) == extent(k, 0), "batches agree: " + extent(q, 0) + " and " + extent(k, 0));
    require(extent(q, 3) == extent(k, 3), "head dimensions agree: " + extent(q, 3) + " and " + extent(k, 3));
    // No heads share no heads.
    require(extent(k, 2) == 0 ? extent(q, 2) == 0 : extent(q, 2) % extent(k, 2) == 0,
        "heads of Q are a multiple of those of K: " + extent(q, 2) + " and " + extent(k, 2));
  }

  /** The output and the logarithms of the rows' sums. */
  public record Result(double[] o, double[] lse) {}

  static void require(boolean condition, String rule) {
    if (!condition) throw new IllegalArgumentException("reference attention needs that " + rule);
  }

  static int extent(TensorView tensor, int mode) {
    return Math.toIntExact(tensor.layout().mode(mode).size());
  }

  int batches() {
    return extent(q, 0);
  }

  int queries() {
    return extent(q, 1);
  }

  int heads() {
    return extent(q, 2);
  }

  int keys() {
    return extent(k, 1);
  }

  /** The head of K and V that a head of Q reads. */
  int headOfKeys(int head) {
    return head / (heads() / extent(k, 2));
  }

  /** The rows of Q, K and V in the order of {@link #rows}. */
  record Operands(double[][] q, double[][] k, double[][] v) {}

  Operands operands() {
    return new Operands(rows(q), rows(k), rows(v));
  }

  /**
   * The scores of one query.
   *
   * @param read for each key, its row of K and V
   * @param scaled the scores before the rule
   * @param changed the scores after it, −∞ for keys that the query does not see
   */
  record Scores(int[] read, double[] scaled, double[] changed) {
    boolean sees(int key) {
      return changed[key] != Double.NEGATIVE_INFINITY;
    }

    double max() {
      return Arrays.stream(changed).reduce(Double.NEGATIVE_INFINITY, Math::max);
    }
  }

  /** Computes O and LSE in FP64 from the exact inputs. */
  public Result exact() {
    return run(Precision.FP64);
  }

  /**
   * Computes attention step by step as a kernel does: sums in FP32; exponentials summed, then rounded to the operands'
   * type for P·V; and a division by their sum at the end.
   */
  public Result stepwise() {
    return run(Precision.fp32(q.type()));
  }

  Result run(Precision precision) {
    var operands = operands();
    int width = extent(v, 3);
    var lse = new double[operands.q.length];
    var o = new double[lse.length * width];
    IntStream.range(0, lse.length).parallel().forEach(row -> {
      var scores = scores(precision, operands, row);
      double max = scores.max();
      double total = 0;
      var sums = new double[width];
      for (int key = 0; key < scores.read.length; key++) {
        if (!scores.sees(key)) continue;
        double e = precision.accumulator(Math.exp(precision.accumulator(scores.changed[key] - max)));
        total = precision.accumulator(total + e);
        precision.addRow(sums, precision.operand(e), operands.v[scores.read[key]]);
      }
      lse[row] = precision.accumulator(max + precision.accumulator(Math.log(total)));
      double factor = total == 0 ? 0 : precision.accumulator(1 / total);
      for (int d = 0; d < width; d++) {
        o[row + lse.length * d] = precision.operand(precision.accumulator(sums[d] * factor));
      }
    });
    return new Result(o, lse);
  }

  /** The scores of the query in this row of Q. */
  Scores scores(Precision precision, Operands operands, int row) {
    int batch = batchOf(row);
    int query = queryOf(row);
    int head = headOf(row);
    var read = rowsOfKeys(batch, head);
    var scaled = new double[read.length];
    var changed = new double[read.length];
    for (int key = 0; key < read.length; key++) {
      changed[key] = Double.NEGATIVE_INFINITY;
      if (!rule.visible(batch, head, query, key)) continue;
      double product = precision.dot(operands.q[row], operands.k[read[key]]);
      scaled[key] = precision.accumulator(precision.accumulator(scale) * product);
      changed[key] = precision.accumulator(rule.change(scaled[key], batch, head, query, key));
    }
    return new Scores(read, scaled, changed);
  }

  int batchOf(int row) {
    return row % batches();
  }

  int queryOf(int row) {
    return row / batches() % queries();
  }

  int headOf(int row) {
    return row / batches() / queries();
  }

  /** For each key, the row of K and V that a head of Q reads. */
  private int[] rowsOfKeys(int batch, int head) {
    int b = batches();
    int first = batch + b * keys() * headOfKeys(head);
    return IntStream.range(0, keys()).map(key -> first + b * key).toArray();
  }

  /** Rows (b, s, h), b fastest, of so many values. */
  static double[][] rows(TensorView tensor) {
    Layout layout = tensor.layout();
    int rows = Math.toIntExact(layout.mode(0).size() * layout.mode(1).size() * layout.mode(2).size());
    var within = layout.mode(3).offsets();
    var values = new double[rows][within.length];
    IntStream.range(0, rows).parallel().forEach(row -> {
      long begin = layout.apply(row);
      for (int d = 0; d < within.length; d++) values[row][d] = tensor.valueAt(begin + within[d]);
    });
    return values;
  }
}
