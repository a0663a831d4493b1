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
    require(extent(q, 2) % extent(k, 2) == 0, "heads of Q are a multiple of those of K: " + extent(q, 2) + " and "
        + extent(k, 2));
  }

  /** The output and the logarithms of the rows' sums. */
  public record Result(double[] o, double[] lse) {}

  private static void require(boolean condition, String rule) {
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

  /** One row's exponentials over that of its largest score, 0 where the query sees no key, and their sum. */
  record Row(double[] weights, double max, double sum) {
    boolean empty() {
      return sum == 0;
    }

    double lse() {
      return max + Math.log(sum);
    }
  }

  private interface Arithmetic {
    Row weights(double[] scores);

    /** One step of a product's sum. */
    double add(double sum, double x, double y);

    double score(double product, int b, int h, int q, int k);

    double output(double sum, Row row);

    double lse(Row row);
  }

  /** Computes the result in FP64 from the exact inputs. */
  public Result exact() {
    return run(new Arithmetic() {
      @Override
      public Row weights(double[] scores) {
        return exponentials(scores);
      }

      @Override
      public double add(double sum, double x, double y) {
        return sum + x * y;
      }

      @Override
      public double score(double product, int b, int h, int q, int k) {
        return rule.change(scale * product, b, h, q, k);
      }

      @Override
      public double output(double sum, Row row) {
        return row.empty() ? 0 : sum / row.sum;
      }

      @Override
      public double lse(Row row) {
        return row.lse();
      }
    });
  }

  /**
   * Computes attention step by step as a kernel does: sums in FP32; exponentials summed, then rounded to the operands'
   * type for P·V; and a division by their sum at the end.
   */
  public Result stepwise() {
    return run(new Arithmetic() {
      @Override
      public Row weights(double[] scores) {
        float max = (float) max(scores);
        float sum = 0;
        var weights = new double[scores.length];
        for (int i = 0; i < scores.length && max != Float.NEGATIVE_INFINITY; i++) {
          float e = (float) Math.exp((float) scores[i] - max);
          sum += e;
          weights[i] = v.type().round(e);
        }
        return new Row(weights, max, sum);
      }

      @Override
      public double add(double sum, double x, double y) {
        return Math.fma((float) x, (float) y, (float) sum);
      }

      @Override
      public double score(double product, int b, int h, int q, int k) {
        return (float) rule.change((float) scale * (float) product, b, h, q, k);
      }

      @Override
      public double output(double sum, Row row) {
        return row.empty() ? 0 : q.type().round((float) sum * (1 / (float) row.sum));
      }

      @Override
      public double lse(Row row) {
        return (float) row.max + (float) Math.log(row.sum);
      }
    });
  }

  private Result run(Arithmetic arithmetic) {
    int b = batches();
    int sq = queries();
    int width = extent(v, 3);
    var lse = new double[b * sq * heads()];
    var o = new double[lse.length * width];
    var valuesQ = rows(q);
    var valuesK = rows(k);
    var valuesV = rows(v);
    IntStream.range(0, lse.length).parallel().forEach(row -> {
      int batch = row % b;
      int query = row / b % sq;
      int head = row / b / sq;
      var scores = new double[keys()];
      var read = rowsOfKeys(batch, head);
      for (int key = 0; key < scores.length; key++) {
        scores[key] = Double.NEGATIVE_INFINITY;
        if (!rule.visible(batch, head, query, key)) continue;
        double product = 0;
        var x = valuesQ[row];
        var y = valuesK[read[key]];
        for (int d = 0; d < x.length; d++) product = arithmetic.add(product, x[d], y[d]);
        scores[key] = arithmetic.score(product, batch, head, query, key);
      }
      var weights = arithmetic.weights(scores);
      lse[row] = arithmetic.lse(weights);
      for (int d = 0; d < width; d++) {
        double sum = 0;
        for (int key = 0; key < scores.length; key++) {
          if (scores[key] == Double.NEGATIVE_INFINITY) continue;
          sum = arithmetic.add(sum, weights.weights[key], valuesV[read[key]][d]);
        }
        o[row + lse.length * d] = arithmetic.output(sum, weights);
      }
    });
    return new Result(o, lse);
  }

  /** The row of K and V, in the order of {@link #rows}, that a head of Q reads. */
  int rowOfKeys(int batch, int key, int head) {
    return batch + batches() * (key + keys() * headOfKeys(head));
  }

  private int[] rowsOfKeys(int batch, int head) {
    int next = batches();
    return IntStream.iterate(rowOfKeys(batch, 0, head), row -> row + next).limit(keys()).toArray();
  }

  /** Computes the exponentials of a row in FP64. */
  static Row exponentials(double[] scores) {
    double max = max(scores);
    if (max == Double.NEGATIVE_INFINITY) return new Row(new double[scores.length], max, 0);
    var weights = Arrays.stream(scores).map(s -> Math.exp(s - max)).toArray();
    return new Row(weights, max, Arrays.stream(weights).sum());
  }

  private static double max(double[] scores) {
    return Arrays.stream(scores).reduce(Double.NEGATIVE_INFINITY, Math::max);
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
