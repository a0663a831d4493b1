package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.tiled.Fragment;

/**
 * Softmax of rows that come tile by tile (Milakov and Gimelshein, 2018; FlashAttention-2, algorithm 1): each row's
 * largest c·s so far, a reference r and the sum ℓ of 2^(c·s−r), with c = scale · log₂e, so that a weight costs one
 * fused multiply-add and one {@code ex2}. Sums stay in each thread until the end.
 *
 * <p>A tile's reference is the tile's own largest c·s. That one's weight is then 1, which rounding to the operands of
 * the next product leaves as it is, in every tile and not only in the one that has the row's largest.
 */
public final class OnlineSoftmax {
  private static final float LN_2 = 0.6931472f;
  /** Below all scores, but not infinite: the difference of two of them is a number. */
  private static final float LEAST = -Float.MAX_VALUE;

  /** How far a reference may be below a row's largest: what is further below adds less than rounding takes. */
  private static final float REACH = 16;

  private final Scope k;
  private final FragmentRows rows;
  private final Supplier<List<F32>> scales;
  private final float offset;
  private final float threshold;
  private final boolean eachItsOwn;
  private final Combination combination;
  private final List<F32.Accumulator> tops;
  private final List<F32.Accumulator> references;
  private final List<F32.Accumulator> sum;

  /** How a number of each row comes together from all who have a part of the row. */
  @FunctionalInterface
  public interface Combination {
    List<F32> combine(List<F32> perRow, BinaryOperator<F32> operation);
  }

  private OnlineSoftmax(Scope k, FragmentRows rows, Supplier<List<F32>> scales, float offset, float threshold,
      boolean eachItsOwn, Combination combination) {
    this.k = k;
    this.rows = rows;
    this.scales = scales;
    this.offset = offset;
    this.threshold = threshold;
    this.eachItsOwn = eachItsOwn;
    this.combination = combination;
    this.tops = leasts();
    this.references = eachItsOwn ? leasts() : tops;
    this.sum = Stream.generate(k::accumulator).limit(rows.count()).toList();
  }

  /**
   * @param rows of the tiles of scores
   * @param scale c: what scores are multiplied by, in units of the binary logarithm; positive
   */
  public static OnlineSoftmax of(Scope k, FragmentRows rows, F32 scale) {
    return of(k, rows, scale, (perRow, operation) -> rows.acrossLanes(k, perRow, operation));
  }

  /** A softmax of rows that come together in another way than over a warp's lanes. */
  public static OnlineSoftmax of(Scope k, FragmentRows rows, F32 scale, Combination combination) {
    return new OnlineSoftmax(k, rows, eachRow(rows, scale), 0, 0, true, combination);
  }

  /**
   * A softmax whose weights are 2^offset times as large, so that they fill the range of a narrow type.
   *
   * @param scales c of each row of the thread, read at each tile
   */
  public static OnlineSoftmax of(Scope k, FragmentRows rows, Supplier<List<F32>> scales, float offset) {
    return of(k, rows, scales, offset, (perRow, operation) -> rows.acrossLanes(k, perRow, operation));
  }

  /** Like {@link #of(Scope, FragmentRows, Supplier, float)}, of rows that come together in another way. */
  public static OnlineSoftmax of(Scope k, FragmentRows rows, Supplier<List<F32>> scales, float offset,
      Combination combination) {
    return new OnlineSoftmax(k, rows, scales, offset, 0, true, combination);
  }

  /**
   * A softmax that keeps a row's reference, and so its factor at one, until c·s exceeds it by more than
   * {@code threshold} (FlashAttention-4): weights grow to at most two to that power. One with threshold 0 refers to the
   * row's largest, which takes a register per row less than a reference of each tile's own.
   */
  public static OnlineSoftmax lazy(Scope k, FragmentRows rows, F32 scale, float threshold) {
    return lazy(k, rows, scale, threshold, 0);
  }

  /** Like {@link #lazy(Scope, FragmentRows, F32, float)}, with weights that are 2^offset times as large. */
  public static OnlineSoftmax lazy(Scope k, FragmentRows rows, F32 scale, float threshold, float offset) {
    return lazy(k, rows, eachRow(rows, scale), threshold, offset);
  }

  /**
   * Like {@link #lazy(Scope, FragmentRows, F32, float, float)}, with c of each row of the thread, read at each tile.
   */
  public static OnlineSoftmax lazy(Scope k, FragmentRows rows, Supplier<List<F32>> scales, float threshold,
      float offset) {
    return new OnlineSoftmax(k, rows, scales, offset, threshold, false,
        (perRow, operation) -> rows.acrossLanes(k, perRow, operation));
  }

  private static Supplier<List<F32>> eachRow(FragmentRows rows, F32 scale) {
    return () -> Collections.nCopies(rows.count(), scale);
  }

  private List<F32.Accumulator> leasts() {
    return Stream.generate(() -> k.accumulator(LEAST)).limit(rows.count()).toList();
  }

  /** Forgets all scores, before the first tile of other rows. */
  public void restart() {
    tops.forEach(top -> top.set(k.constant(LEAST)));
    if (references != tops) references.forEach(r -> r.set(k.constant(LEAST)));
    sum.forEach(s -> s.set(k.constant(0f)));
  }

  /**
   * A tile's weights and what earlier results have to be multiplied by.
   *
   * @param weights one a value of the tile
   * @param factors one a row of the thread
   */
  public record Step(List<F32> weights, List<F32> factors) {
    /** Whether some row of the warp has a factor other than one. */
    public Pred rescales(Scope k) {
      return Shuffle.any(k, factors.stream().map(f -> f.notEqualTo(1f)).reduce(Pred::or).orElseThrow());
    }
  }

  /** Takes a tile of scores in; −∞ is that of a key that is not seen. */
  public Step next(List<F32> scores) {
    var factors = scales.get();
    var maximum = raiseMaximum(rows.inThread(scores, F32::max), this::logarithms);
    var weights = IntStream.range(0, scores.size())
        .mapToObj(v -> scores.get(v).fma(factors.get(rows.rowOf(v)), maximum.shifts.get(rows.rowOf(v))).exp2())
        .toList();
    weights.forEach(F32::register);
    var sums = rows.inThread(weights, F32::plus);
    for (int row = 0; row < rows.count(); row++) {
      sum.get(row).set(sum.get(row).value().fma(maximum.factors.get(row), sums.get(row)));
    }
    return new Step(weights, maximum.factors);
  }

  /**
   * The rows' maxima after a tile: the first half of {@link #next}, for callers that compute P themselves.
   *
   * @param factors by which what came before has to be multiplied, one a row of the thread
   * @param shifts to be added to c·s to get the binary logarithm of a probability
   */
  public record Maximum(List<F32> factors, List<F32> shifts) {}

  /** Takes the maxima of a tile in; {@link #add} follows. */
  public Maximum maximum(List<F32> scores) {
    return maximum(scores, this::logarithms);
  }

  /**
   * Takes in the maxima of a tile whose scores have another logarithm than c·s.
   *
   * @param logarithms from each row's largest score to the largest logarithm
   */
  public Maximum maximum(List<F32> scores, UnaryOperator<List<F32>> logarithms) {
    return maximumOf(rows.inThread(scores, F32::max), logarithms);
  }

  /**
   * Like {@link #maximum(List, UnaryOperator)}, where the maxima of each thread's scores are known.
   *
   * @param largest score of each row of the thread
   */
  public Maximum maximumOf(List<F32> largest, UnaryOperator<List<F32>> logarithms) {
    var maximum = raiseMaximum(largest, logarithms);
    // At once, so that factors need no registers while weights are computed.
    for (int row = 0; row < rows.count(); row++) {
      sum.get(row).set(sum.get(row).value().times(maximum.factors.get(row)));
    }
    return maximum;
  }

  /** c·s of each row's s. */
  List<F32> logarithms(List<F32> largest) {
    var ofRows = scales.get();
    return IntStream.range(0, rows.count()).mapToObj(row -> largest.get(row).times(ofRows.get(row))).toList();
  }

  private Maximum raiseMaximum(List<F32> largest, UnaryOperator<List<F32>> logarithms) {
    var here = logarithms.apply(combination.combine(largest, F32::max));
    var factors = new ArrayList<F32>();
    var shifts = new ArrayList<F32>();
    for (int row = 0; row < rows.count(); row++) {
      var top = here.get(row);
      var before = tops.get(row).value();
      var raised = raise(before, top);
      var reference = eachItsOwn ? top.max(before.plus(-REACH)) : raised;
      var factor = references.get(row).value().minus(reference).exp2();
      var shift = offset == 0 ? reference.negated() : k.constant(offset).minus(reference);
      // Before the row's state changes.
      factor.register();
      shift.register();
      raised.register();
      reference.register();
      tops.get(row).set(raised);
      if (references != tops) references.get(row).set(reference);
      factors.add(factor);
      shifts.add(shift);
    }
    return new Maximum(factors, shifts);
  }

  private F32 raise(F32 before, F32 top) {
    var raised = before.max(top);
    return threshold > 0 ? raised.where(raised.minus(before).greaterThan(k.constant(threshold)), before) : raised;
  }

  /** Takes in what a thread's weights of the tile add up to in each row. */
  public void add(List<F32> sums) {
    for (int row = 0; row < rows.count(); row++) sum.get(row).add(sums.get(row));
  }

  /** c of each row of the thread. */
  List<F32> scales() {
    return scales.get();
  }

  /** The binary logarithm of what all weights are multiplied by. */
  float offset() {
    return offset;
  }

  /** The offset less the rows' references now: the binary logarithm of a weight is c·s plus this. */
  List<F32> shifts() {
    return references().stream().map(reference -> k.constant(offset).minus(reference)).toList();
  }

  /** The sums of the thread's weights so far, one a row. */
  List<F32> sums() {
    return sum.stream().map(F32.Accumulator::value).toList();
  }

  /** The rows' references now. */
  public List<F32> references() {
    return references.stream().map(F32.Accumulator::value).toList();
  }

  /**
   * Refers the rows to higher numbers, such as those of others who have taken in further scores. The softmax is one
   * whose reference is the row's largest.
   *
   * @param higher one a row of the thread, at least this softmax's own
   * @return by what earlier results have to be multiplied, one a row
   */
  public List<F32> raise(List<F32> higher) {
    var factors = rows.perRow(row -> references.get(row).value().minus(higher.get(row)).exp2());
    for (int row = 0; row < rows.count(); row++) {
      // Before the row's state changes.
      factors.get(row).register();
      sum.get(row).set(sum.get(row).value().times(factors.get(row)));
      tops.get(row).set(higher.get(row));
      if (references != tops) references.get(row).set(higher.get(row));
    }
    return factors;
  }

  /** Multiplies the rows of accumulators by a step's factors, where that changes anything. */
  public void rescale(Step step, FragmentRows of, Fragment accumulators) {
    k.when(step.rescales(k), () -> of.scale(k, accumulators, step.factors()));
  }

  /**
   * The result of a row.
   *
   * @param inverse 1/ℓ, by which the sum of weighted values is multiplied; 1 for a row without scores
   * @param logSumExp ln Σ e^(scale·s); −∞ for a row without scores
   * @param maximum the largest scale·s; −∞ for a row without scores. A reference that is kept while it is exceeded
   *     stands for it
   * @param sum Σ e^(scale·s − maximum); 0 for a row without scores
   */
  public record Total(F32 inverse, F32 logSumExp, F32 maximum, F32 sum) {
    /** The result of a row without scores. */
    public static Total none(Scope k) {
      var least = k.constant(Float.NEGATIVE_INFINITY);
      return new Total(k.constant(1f), least, least, k.constant(0f));
    }

    /** Returns this with another multiplier of the weighted values. */
    public Total with(F32 otherInverse) {
      return new Total(otherInverse, logSumExp, maximum, sum);
    }
  }

  /** Adds up the threads' sums: one result a row of this thread. */
  public List<Total> finish() {
    return finish(own -> own);
  }

  /**
   * Like {@link #finish()}, with the sums of others who refer the rows to the same.
   *
   * @param all from the sums of the rows here to those of all
   */
  public List<Total> finish(UnaryOperator<List<F32>> all) {
    var sums = all.apply(combination.combine(sums(), F32::plus));
    return IntStream.range(0, rows.count()).mapToObj(row -> {
      var total = sums.get(row);
      var inverse = total.reciprocal().where(total.notEqualTo(0f), k.constant(1f));
      var logOfAll = offset == 0 ? total.log2() : total.log2().plus(-offset);
      var log = references.get(row).value().plus(logOfAll).times(LN_2);
      var least = k.constant(Float.NEGATIVE_INFINITY);
      var top = tops.get(row).value();
      var ofTop = references == tops ? k.constant(-offset) : references.get(row).value().minus(top).plus(-offset);
      return new Total(inverse, log, top.times(LN_2).where(total.notEqualTo(0f), least), total.times(ofTop.exp2()));
    }).toList();
  }
}
