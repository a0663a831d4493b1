package tilewright.reference;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.layout.Layout;

/**
 * O = softmax(rule(scale · Q·Kᵀ)) · V for Q (B,Sq,H,D), K (B,Sk,Hk,D), V (B,Sk,Hk,Dv), any strides; head h of Q
 * reads head h·Hk/H of K and V. O is (B,Sq,H,Dv) and LSE, the logarithm of each row's sum of exponentials, (B,Sq,H);
 * results in the order of their indices (b fastest). A query that sees no key has O = 0 and LSE = −∞.
 *
 * @param factors what codes of 8 bits are multiplied by; other operands have none
 * @param sinks (H) logits, if there are any: each takes part in the softmax of its head's rows like the score of a key
 *     whose value is 0, and so in LSE
 */
public record AttentionReference(TensorView q, TensorView k, TensorView v, double scale, ScoreRule rule,
    Optional<AttentionFactors> factors, Optional<TensorView> sinks) {

  /** Attention without sinks. */
  public AttentionReference(TensorView q, TensorView k, TensorView v, double scale, ScoreRule rule,
      Optional<AttentionFactors> factors) {
    this(q, k, v, scale, rule, factors, Optional.empty());
  }

  /** Attention of operands without factors. */
  public AttentionReference(TensorView q, TensorView k, TensorView v, double scale, ScoreRule rule) {
    this(q, k, v, scale, rule, Optional.empty());
  }

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
    if (factors.isPresent()) factors.get().requireFit(q, k, v);
    int sinksThere = sinks.map(logits -> extent(logits, 0)).orElse(extent(q, 2));
    require(sinksThere == extent(q, 2), "each head has a sink: " + sinksThere + " of " + extent(q, 2));
  }

  /**
   * The output and the logarithms of the rows' sums.
   *
   * @param maxima of the rows' scores and sinks, −∞ of a row without any
   */
  public record Result(double[] o, double[] lse, double[] maxima) {}

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
    var codes = new Operands(rows(q), rows(k), rows(v));
    return factors.flatMap(AttentionFactors::scales).map(scales -> scales.times(codes, batches())).orElse(codes);
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

    /** The sum of exponentials relative to a reference. */
    double sum(int first, int end, double reference) {
      return Arrays.stream(changed, first, end).map(score -> Math.exp(score - reference)).sum();
    }

    double max(int first, int end) {
      return Arrays.stream(changed, first, end).reduce(Double.NEGATIVE_INFINITY, Math::max);
    }
  }

  /** Computes O and LSE in FP64 from the exact inputs. */
  public Result exact() {
    return run(Precision.FP64);
  }

  /**
   * Computes attention step by step as a kernel does: sums in FP32; exponentials summed, then rounded to the operands'
   * type for P·V; and a division by their sum at the end. Codes are multiplied as {@link AttentionFactors} says.
   */
  public Result stepwise() {
    if (factors.isEmpty()) return run(Precision.fp32(q.type()));
    var precision = factors.get().precision();
    return run(precision, factors.get().gemms(this).orElseGet(() -> AttentionGemms.of(precision, operands())));
  }

  Result run(Precision precision) {
    return run(precision, AttentionGemms.of(precision, operands()));
  }

  private Result run(Precision precision, AttentionGemms gemms) {
    int rows = batches() * queries() * heads();
    int width = extent(v, 3);
    int split = factors.map(AttentionFactors::split).orElse(AttentionFactors.ALL);
    int splits = Math.max(1, Math.ceilDiv(keys(), split));
    var lse = new double[rows];
    var maxima = new double[rows];
    var o = new double[rows * width];
    IntStream.range(0, rows).parallel().forEach(row -> {
      var scores = scores(precision, gemms, row);
      var sums = new ArrayList<SoftmaxRow>();
      for (int s = 0; s < splits; s++) {
        int end = (int) Math.min(keys(), (s + 1L) * split);
        sums.add(sums(precision, gemms, scores, row, s * split, end));
      }
      sinks.map(logits -> logits.value(headOf(row))).filter(logit -> logit > Double.NEGATIVE_INFINITY)
          .ifPresent(logit -> addSink(precision, sums, logit));
      lse[row] = SoftmaxRow.logarithm(sums);
      maxima[row] = sums.stream().mapToDouble(SoftmaxRow::largest).max().orElseThrow();
      for (int d = 0; d < width; d++) o[row + rows * d] = SoftmaxRow.result(sums, lse[row], d);
    });
    return new Result(o, lse, maxima);
  }

  /** A sink is one more state where splits are merged. */
  private void addSink(Precision precision, List<SoftmaxRow> splits, double logit) {
    if (splits.size() > 1) splits.add(row(precision, AttentionFactors.ALL));
    splits.getLast().addSink(logit);
  }

  private SoftmaxRow row(Precision precision, int together) {
    return new SoftmaxRow(precision, extent(v, 3), together,
        factors.map(AttentionFactors::reference).orElse(AttentionFactors.ReferenceScore.OF_TILE));
  }

  /** A row's sums over a range of keys, the last tile first. */
  private SoftmaxRow sums(Precision precision, AttentionGemms gemms, Scores scores, int row, int from, int to) {
    int tile = factors.map(AttentionFactors::tile).orElse(Math.max(1, keys()));
    int together = factors.map(AttentionFactors::together).orElse(AttentionFactors.ALL);
    var sums = row(precision, together);
    for (int first = from + (Math.ceilDiv(to - from, tile) - 1) * tile; first >= from; first -= tile) {
      int end = Math.min(to, first + tile);
      double largest = scores.max(first, end);
      if (largest == Double.NEGATIVE_INFINITY) continue;
      int begins = first;
      sums.next(largest, reference -> scores.sum(begins, end, reference));
      for (int begin = first, next; begin < end; begin = next) {
        next = endOfFactor(begin, end);
        addKeys(precision, gemms, sums, scores, begin, next, factorOfValues(row, begin));
      }
    }
    return sums;
  }

  /** Adds neighbouring keys of a tile, whose values share a factor, to a row. */
  private static void addKeys(Precision precision, AttentionGemms gemms, SoftmaxRow sums, Scores scores, int first,
      int end, double factor) {
    var p = new double[end - first];
    for (int key = first; key < end; key++) {
      if (scores.sees(key)) p[key - first] = sums.rounded(precision.operand(sums.add(scores.changed[key])));
    }
    if (factor == 0) return;
    sums.ofFactor(factor);
    gemms.addValues(sums.part(), p, scores, first);
  }

  /** The key before which the factor of V that a key has ends, or {@code end}. */
  private int endOfFactor(int key, int end) {
    if (factors.isEmpty()) return end;
    int rows = factors.get().v().rows();
    return (int) Math.min(end, (key / rows + 1L) * rows);
  }

  private double factorOfValues(int row, int key) {
    return factors.isEmpty() ? 1 : factors.get().v().of(batchOf(row), key, headOfKeys(headOf(row)));
  }

  private double factorOfKey(int batch, int key, int head) {
    return factors.isEmpty() ? 1 : factors.get().k().of(batch, key, headOfKeys(head));
  }

  private double factorOfQuery(int batch, int query, int head) {
    return factors.isEmpty() ? 1 : factors.get().q().of(batch, query, head);
  }

  /** The scores of the query in this row of Q. */
  Scores scores(Precision precision, AttentionGemms gemms, int row) {
    int batch = batchOf(row);
    int query = queryOf(row);
    int head = headOf(row);
    var read = rowsOfKeys(batch, head);
    var scaled = new double[read.length];
    var changed = new double[read.length];
    double scaleOfQuery = precision.accumulator(precision.accumulator(scale) * factorOfQuery(batch, query, head));
    for (int key = 0; key < read.length; key++) {
      changed[key] = Double.NEGATIVE_INFINITY;
      if (!rule.visible(batch, head, query, key)) continue;
      double scaleOfKey = precision.accumulator(scaleOfQuery * factorOfKey(batch, key, head));
      scaled[key] = precision.accumulator(scaleOfKey * gemms.score(row, read[key]));
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
