package tilewright.reference;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import tilewright.reference.AttentionFactors.ReferenceScore;

/**
 * A row of O and its sum of exponentials while tiles of keys come (FlashAttention-2, algorithm 1), both relative to
 * e^reference.
 */
final class SoftmaxRow {
  /** 2⁻¹⁶ of the largest score's exponential, as in kernels. */
  private static final double REACH = 16 * Math.log(2);
  /** The part of a tile of keys that a thread has, of which it adds up P. */
  private static final double SHARE_OF_THREAD = 0.25;
  /** The sum of a thread's P beyond which the reference rises: 448 of 2⁸ · P, the largest number of e4m3. */
  private static final double MOST = 448.0 / 256;
  /** The sum that a raised reference leaves, about: 128 of 2⁸ · P, as in {@code Anticipation}. */
  private static final double LEFT = 128.0 / 256;

  private final Precision precision;
  private final double[] o;
  /** P·V of the tiles since it was last added to O. */
  private final double[] part;
  private final int together;
  private final ReferenceScore kind;
  private int tiles;
  private double largest = Double.NEGATIVE_INFINITY;
  private double reference = Double.NEGATIVE_INFINITY;
  private double total;
  /** The sum of the rounded exponentials of keys. */
  private double rounded;
  /** The sum of the exponentials of keys before rounding; sinks are not part of it. */
  private double ofKeys;
  /** The factor of V that O is still to be multiplied by; 0 while there is nothing in O. */
  private double factor;

  /**
   * Begins without keys.
   *
   * @param together tiles whose P·V a GEMM sums before it is added to O
   * @param kind the reference of a tile's exponentials
   */
  SoftmaxRow(Precision precision, int width, int together, ReferenceScore kind) {
    this.precision = precision;
    this.o = new double[width];
    this.part = new double[width];
    this.together = together;
    this.kind = kind;
  }

  /** P·V so far, for a GEMM to add to. */
  double[] part() {
    return part;
  }

  /**
   * Makes room for a tile with this largest score.
   *
   * @param sum from a reference to the sum of the tile's exponentials relative to it
   */
  void next(double largestOfTile, DoubleUnaryOperator sum) {
    if (tiles == together) promote();
    tiles++;
    double next = switch (kind) {
      case OF_TILE -> Math.max(largestOfTile, precision.accumulator(largest - REACH));
      case OF_ROW -> Math.max(largestOfTile, largest);
      case OF_TILES_BEFORE -> raised(largestOfTile, sum);
    };
    if (total != 0) {
      double before = precision.accumulator(Math.exp(precision.accumulator(reference - next)));
      total = precision.accumulator(total * before);
      rounded *= before;
      ofKeys *= before;
      scale(before);
    }
    largest = Math.max(largest, largestOfTile);
    reference = next;
  }

  private double raised(double largestOfTile, DoubleUnaryOperator sum) {
    boolean begins = reference == Double.NEGATIVE_INFINITY;
    double before = begins ? largestOfTile : reference;
    double ofThread = Math.max(Math.exp(largestOfTile - before), SHARE_OF_THREAD * sum.applyAsDouble(before));
    if (Double.isInfinite(ofThread)) return largestOfTile;
    if (ofThread <= (begins ? LEFT : MOST)) return before;
    return before + Math.rint(Math.log(ofThread / LEFT) / Math.log(2)) * Math.log(2);
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
    ofKeys += e;
    return e;
  }

  /** Adds a key's rounded probability to their sum, and returns it. */
  double rounded(double probability) {
    rounded += probability;
    return probability;
  }

  /** Takes in the score of a key whose value is 0. */
  void addSink(double score) {
    next(score, reference -> Math.exp(score - reference));
    double before = ofKeys;
    add(score);
    ofKeys = before;
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
    boolean byRounded = kind == ReferenceScore.OF_TILES_BEFORE && rounded != 0;
    if (byRounded) inverse = precision.accumulator(inverse * ofKeys / rounded);
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
