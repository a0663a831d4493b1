package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;

/**
 * The factors of 8-bit Q, K and V that belong to a tile of queries. Those of Q and K multiply the scores in the
 * softmax. O is kept in units of the factor of V's present block: a block of keys with another factor rescales O by
 * the ratio of the two, together with the softmax's own rescaling.
 */
final class OperandFactors {
  /** P = 2^8 for a row's largest score: e4m3 reaches to 448 (FlashAttention-3 and 4, {@code max_offset}). */
  static final float OFFSET = 8;

  private final Scope k;
  private final AttentionVariant variant;
  private final Quantized quantized;
  private final AttentionTensors.Tile tile;
  private final I32 headOfKeys;
  private final FragmentRows rows;
  private final GlobalTensor ofKeys;
  private final GlobalTensor ofValues;
  private final List<F32> queries;
  private final Optional<F32.Accumulator> values;
  private List<F32> scores;
  private Optional<F32> ratio = Optional.empty();

  OperandFactors(Scope k, I32 thread, AttentionVariant variant, Quantized quantized, F32 scale,
      AttentionTensors.Tile tile, I32 headOfKeys, FragmentRows rows) {
    this.k = k;
    this.variant = variant;
    this.quantized = quantized;
    this.tile = tile;
    this.headOfKeys = headOfKeys;
    this.rows = rows;
    ofKeys = k.global(AttentionSpecs.factors("descaleK"));
    ofValues = k.global(AttentionSpecs.factors("descaleV"));
    var ofFunction = variant.modification().score().isPresent() ? scale
        : variant.modification().softmaxScale(k, scale);
    var common = quantized.k().rows() == Factors.WHOLE ? ofFunction.times(load(ofKeys, quantized.k(), k.constant(0)))
        : ofFunction;
    queries = ofQueries(k.global(AttentionSpecs.factors("descaleQ")), thread, common);
    scores = queries;
    values = quantized.v().rows() == Factors.WHOLE ? Optional.empty() : Optional.of(k.accumulator(1f));
  }

  private List<F32> ofQueries(GlobalTensor factors, I32 thread, F32 common) {
    var packing = variant.packing();
    var all = rows.perRow(row -> {
      var at = tile.firstRow().plus(rows.row(thread, row));
      // Rows behind the last query take any factor.
      var block = quantized.q().rows() == Factors.WHOLE ? k.constant(0)
          : packing.query(at).dividedBy(quantized.q().rows()).min(factors.extent(0).plus(-1));
      return positive(factors.at(block, packing.head(tile.head(), at), tile.place().batch()).load().times(common));
    });
    all.forEach(F32::register);
    return all;
  }

  /** A factor of scores, positive so that a key that is not seen keeps its −∞. */
  private F32 positive(F32 factor) {
    return factor.max(k.constant(Float.MIN_NORMAL));
  }

  private F32 load(GlobalTensor factors, Factors granularity, I32 firstKey) {
    var block = granularity.rows() == Factors.WHOLE ? k.constant(0) : firstKey.dividedBy(granularity.rows());
    return factors.at(block, headOfKeys, tile.place().batch()).load();
  }

  /** Reads the factors of a block of keys, all of which have the same. */
  void begin(I32 block) {
    var firstKey = block.settled().times(variant.tiling().tileN());
    if (quantized.k().rows() != Factors.WHOLE) {
      var ofBlock = load(ofKeys, quantized.k(), firstKey);
      scores = queries.stream().map(factor -> positive(factor.times(ofBlock))).toList();
      scores.forEach(F32::register);
    }
    ratio = values.map(before -> {
      var here = load(ofValues, quantized.v(), firstKey);
      var quotient = before.value().times(here.reciprocal());
      quotient.register();
      before.set(here);
      return quotient;
    });
  }

  /** The factor of each row of the thread in the softmax, times log₂ e. */
  List<F32> ofSoftmax() {
    return variant.modification().score().isPresent()
        ? rows.perRow(_ -> variant.modification().softmaxScale(k, k.constant(1f))) : scores;
  }

  /** The factor of each row of the thread before the function of scores. */
  List<F32> ofFunction() {
    return scores;
  }

  /** A step of the softmax that also brings O to units of the present block's factor of V. */
  OnlineSoftmax.Step rescaled(OnlineSoftmax.Step step) {
    return ratio.map(r -> new OnlineSoftmax.Step(step.weights(), step.factors().stream().map(r::times).toList()))
        .orElse(step);
  }

  /** The rows' results, with 1/ℓ times the factor that O has yet to be multiplied by. */
  List<OnlineSoftmax.Total> ofOutput(List<OnlineSoftmax.Total> totals) {
    var factor = values.map(F32.Accumulator::value).orElseGet(() -> load(ofValues, quantized.v(), k.constant(0)));
    return totals.stream().map(total -> total.with(total.inverse().times(factor))).toList();
  }
}
