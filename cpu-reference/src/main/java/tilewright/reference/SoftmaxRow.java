package tilewright.reference;

import java.util.List;

/**
 * A row of O and its sum of exponentials while tiles of keys come (FlashAttention-2, algorithm 1), both relative to
 * e^reference, which is each tile's own largest score unless that is too far below the row's.
 */
final class SoftmaxRow {
  private final Precision precision;
  private final double[] o;
  /** P·V of the tiles since it was last added to O. */
  private final double[] part;
  private final int together;
  private final double reach;
  private int tiles;
  private double largest = Double.NEGATIVE_INFINITY;
  private double reference = Double.NEGATIVE_INFINITY;
  private double total;
  /** The factor of V that O is still to be multiplied by; 0 while there is nothing in O. */
  private double factor;

  /**
   * Begins without keys.
   *
   * @param together tiles whose P·V a GEMM sums before it is added to O
   * @param reach how far a tile's reference may be below the largest score so far
   */
  SoftmaxRow(Precision precision, int width, int together, double reach) {
    this.precision = precision;
    this.o = new double[width];
    this.part = new double[width];
    this.together = together;
    this.reach = reach;
  }

  /** P·V so far, for a GEMM to add to. */
  double[] part() {
    return part;
  }

  /** Makes room for a tile with this largest score. */
  void next(double largestOfTile) {
    if (tiles == together) promote();
    tiles++;
    double next = Math.max(largestOfTile, precision.accumulator(largest - reach));
    if (total != 0) {
      double before = precision.accumulator(Math.exp(precision.accumulator(reference - next)));
      total = precision.accumulator(total * before);
      scale(before);
    }
    largest = Math.max(largest, largestOfTile);
    reference = next;
  }

  /** Makes O ready for products with values of this factor, which is not 0. */
  void ofFactor(double next) {
    if (factor != 0 && factor != next) scale(precision.accumulator(factor / next));
    factor = next;
  }

  private void promote() {
    for (int d = 0; d < o.length; d++) {
      o[d] = precision.accumulator(o[d] + part[d]);
      part[d] = 0;
    }
    tiles = 0;
  }

  private void scale(double by) {
    for (int d = 0; d < o.length; d++) {
      o[d] = precision.accumulator(o[d] * by);
      part[d] = precision.accumulator(part[d] * by);
    }
  }

  /** Takes the score of a key in and returns its probability so far, unrounded. */
  double add(double score) {
    double e = precision.accumulator(Math.exp(precision.accumulator(score - reference)));
    total = precision.accumulator(total + e);
    return e;
  }

  /** Takes in the score of a key whose value is 0. */
  void addSink(double score) {
    next(score);
    add(score);
  }

  /** The largest score so far; −∞ without one. */
  double largest() {
    return largest;
  }

  double logarithm() {
    return precision.accumulator(reference + precision.accumulator(Math.log(total)));
  }

  /** A column of O in the accumulator's precision. */
  private double divided(int d) {
    double inverse = total == 0 ? 0 : precision.accumulator(1 / total);
    double sum = precision.accumulator(o[d] + part[d]);
    return precision.accumulator(sum * precision.accumulator(inverse * factor));
  }

  /** The logarithm of all sums of splits of the keys, which a kernel merges in order. */
  static double logarithm(List<SoftmaxRow> splits) {
    if (splits.size() == 1) return splits.getFirst().logarithm();
    double largest = splits.stream().mapToDouble(SoftmaxRow::logarithm).max().orElseThrow();
    return largest == Double.NEGATIVE_INFINITY ? largest : largest + Math.log(splits.stream()
        .mapToDouble(split -> Math.exp(split.logarithm() - largest)).sum());
  }

  /** A column of O of splits of the keys, given {@link #logarithm(List)}. */
  static double result(List<SoftmaxRow> splits, double logarithm, int d) {
    var first = splits.getFirst();
    if (splits.size() == 1) return first.precision.result(first.divided(d));
    double sum = 0;
    for (var split : splits) {
      if (split.total == 0) continue;
      double weight = Math.exp(split.logarithm() - logarithm);
      sum = first.precision.accumulator(sum + first.precision.accumulator(weight * split.divided(d)));
    }
    return first.precision.result(sum);
  }
}
