package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.tiled.Fragment;

/**
 * A softmax whose P does not wait for the largest scores of its tile: P = 2^(c·s−r), where the reference r is that of
 * the tiles before. The sum of a row's P, needed anyway, tells whether an element exceeds the range of its type. Only
 * then the reference rises, and the tile's P is computed again.
 *
 * <p>The largest element of P is then rounded like all others. Callers divide O by the sum of the rounded P, so that a
 * row with one dominant score is exact all the same.
 */
public final class Anticipation {
  /** The part of the limit that sums have by a raised reference: those of the next tiles vary. */
  private static final float SHARE = 2f / 7;
  /** 1.5·2²³, where neighbouring FP32 values are 1 apart: adding and subtracting it rounds to whole numbers. */
  private static final float INTEGERS = 0x1.8p23f;

  private final Scope k;
  private final FragmentRows rows;
  private final OnlineSoftmax softmax;
  private final float limit;

  /**
   * @param rows of the tiles of scores
   * @param softmax of the rows, whose reference is their largest score, not one of each tile's own
   * @param limit the largest number of the type that P is rounded to
   */
  public Anticipation(Scope k, FragmentRows rows, OnlineSoftmax softmax, float limit) {
    this.k = k;
    this.rows = rows;
    this.softmax = softmax;
    this.limit = limit;
  }

  /**
   * Takes in the first tile of the rows.
   *
   * @param scores −∞ for a key that is not seen
   * @param into the registers that get P
   */
  public List<F32> first(List<F32> scores, Fragment into) {
    rows.set(k, into, softmax.next(scores).weights());
    var most = rows.acrossLanes(k, softmax.sums(), F32::max);
    var rises = most.stream().map(sum -> rise(sum.max(k.constant(SHARE * limit)))).toList();
    var raised = rows.perRow(row -> softmax.references().get(row).plus(rises.get(row)));
    raised.forEach(F32::register);
    k.when(anyAbove(rises, 0), () -> rows.scale(k, into, softmax.raise(raised)));
    return rows.values(k, into);
  }

  /** The whole number by which a reference rises for a sum: a power of two among P stays one. */
  private F32 rise(F32 sum) {
    return sum.times(1 / (SHARE * limit)).log2().plus(INTEGERS).plus(-INTEGERS);
  }

  /**
   * The sums of a tile's P by the references of the tiles before.
   *
   * @param sums of each row's in the thread
   * @param exceeds whether one of the warp's sums is above the limit: {@link #settle} follows; else {@link #accept}
   */
  public record Attempt(List<F32> sums, Pred exceeds) {}

  /**
   * Tries a tile.
   *
   * @param groups of values that are rounded together
   * @param round gets each group's number and its P, which needs no registers afterwards
   */
  public Attempt attempt(List<F32> scores, List<List<Integer>> groups, BiConsumer<Integer, List<F32>> round) {
    var scales = softmax.scales();
    var shifts = softmax.shifts();
    shifts.forEach(F32::register);
    int perRow = FragmentRows.CHAINS;
    var chains = new ArrayList<Optional<F32>>(Collections.nCopies(perRow * rows.count(), Optional.empty()));
    for (int number = 0; number < groups.size(); number++) {
      var group = groups.get(number);
      var p = group.stream().map(v -> probability(scores, v, scales, shifts)).toList();
      p.forEach(F32::register);
      round.accept(number, p);
      for (int place = 0; place < group.size(); place++) {
        int chain = perRow * rows.rowOf(group.get(place)) + place % perRow;
        var element = p.get(place);
        var sum = chains.get(chain).map(before -> before.plus(element)).orElse(element);
        sum.register();
        chains.set(chain, Optional.of(sum));
      }
    }
    var sums = rows.perRow(row -> chains.subList(perRow * row, perRow * (row + 1)).stream().flatMap(Optional::stream)
        .reduce(F32::plus).orElseThrow());
    return new Attempt(sums, anyAbove(sums, limit));
  }

  /** Takes in a tile whose attempt exceeds no limit; what came before keeps its factor. */
  public void accept(Attempt attempt) {
    softmax.add(attempt.sums);
  }

  /**
   * Takes in a tile whose attempt exceeds the limit in some rows. Others stay as they are, so that a row does not
   * depend on its neighbours in the warp.
   *
   * @param into the registers that get P
   * @return P, and the factors of earlier results
   */
  public OnlineSoftmax.Step settle(Attempt attempt, List<F32> scores, Fragment into) {
    var most = rows.acrossLanes(k, attempt.sums, F32::max);
    var raised = rows.perRow(row -> {
      var before = softmax.references().get(row);
      return before.plus(rise(most.get(row))).where(above(most.get(row), limit), before);
    }).stream().map(this::variable).toList();
    // Of infinite sums, the largest scores tell where the references have to be.
    k.when(anyAbove(most, Float.MAX_VALUE), () -> {
      var largest = softmax.logarithms(rows.acrossLanes(k, rows.inThread(exchanged(scores), F32::max), F32::max));
      float room = softmax.offset() - Math.getExponent(limit / rows.of(0).size());
      for (int row = 0; row < rows.count(); row++) {
        raised.get(row).set(largest.get(row).plus(room).where(above(most.get(row), Float.MAX_VALUE),
            raised.get(row).value()));
      }
    });
    var factors = softmax.raise(raised.stream().map(F32.Accumulator::value).toList());
    var scales = softmax.scales();
    var shifts = softmax.shifts();
    rows.set(k, into, IntStream.range(0, scores.size()).mapToObj(v -> probability(scores, v, scales, shifts)).toList());
    var p = rows.values(k, into);
    softmax.add(rows.inThread(p, F32::plus));
    return new OnlineSoftmax.Step(p, factors);
  }

  /** Scores of which a chain's first comes from this lane by a shuffle: ptxas would compute the maxima ahead else. */
  private List<F32> exchanged(List<F32> scores) {
    var result = new ArrayList<>(scores);
    for (int row = 0; row < rows.count(); row++) {
      for (int value : rows.of(row).subList(0, Math.min(FragmentRows.CHAINS, rows.of(row).size()))) {
        result.set(value, Shuffle.butterfly(k, scores.get(value), 0));
      }
    }
    return result;
  }

  private F32 probability(List<F32> scores, int value, List<F32> scales, List<F32> shifts) {
    int row = rows.rowOf(value);
    return scores.get(value).fma(scales.get(row), shifts.get(row)).exp2();
  }

  private F32.Accumulator variable(F32 value) {
    var result = k.accumulator();
    result.set(value);
    return result;
  }

  private Pred above(F32 value, float bound) {
    return value.greaterThan(k.constant(bound));
  }

  private Pred anyAbove(List<F32> values, float bound) {
    return Shuffle.any(k, values.stream().map(value -> above(value, bound)).reduce(Pred::or).orElseThrow());
  }
}
