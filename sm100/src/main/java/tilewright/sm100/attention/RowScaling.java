package tilewright.sm100.attention;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;

/**
 * The scaling of a row of scores, of P and of O. 16-bit operands have the softmax scale alone. The factors of e4m3
 * operands join it:
 * <ul>
 * <li>scores are multiplied by scale · descaleQ · descaleK before anything else;
 * <li>P is 2⁸ times as large, so that it fills the range of its 8 bits; so is ℓ, and O = P·V/ℓ is not;
 * <li>1/ℓ is multiplied by descaleV where a head has one for all keys;
 * <li>where each block of keys has its own, P is multiplied by it instead. That adds log₂ descaleV to P's exponent. The
 * row's reference is the largest exponent, hence P stays below 2⁸, and a block's part of ℓ is its sum divided by
 * descaleV.
 * </ul>
 *
 * @param ofQuery what scores of all blocks are multiplied by
 */
record RowScaling(Scope k, Sm100AttentionConfig config, Optional<OperandFactors> factors, Tile tile, F32 ofQuery) {
  /** Stands for a factor of 0, so that hidden scores remain −∞ and not NaN. */
  private static final float LEAST_SCALE = Float.MIN_NORMAL;
  /** log₂ of what stands for a smaller factor of V: P and its reciprocal remain finite. */
  private static final float LEAST_LOGARITHM = -64;

  static RowScaling of(Scope k, Sm100AttentionConfig config, Optional<OperandFactors> factors, Tile tile,
      Supplier<I32> query) {
    var scale = k.scalar("scale");
    var ofQuery = factors.map(f -> {
      var ofTile = scale.times(f.ofQuery(tile, query.get()));
      return f.quantized().keysShareFactor() ? positive(k, ofTile.times(f.ofKey(tile, k.constant(0)))) : ofTile;
    });
    ofQuery.ifPresent(F32::register);
    return new RowScaling(k, config, factors, tile, ofQuery.orElse(scale));
  }

  private static F32 positive(Scope k, F32 scale) {
    return scale.where(scale.notEqualTo(0), k.constant(LEAST_SCALE));
  }

  /**
   * The scaling of a block: log₂ P = softmaxScale · s + addend − reference.
   *
   * @param scale what scores are multiplied by
   * @param addend log₂ descaleV, where P is multiplied by it
   */
  record Block(F32 scale, F32 softmaxScale, Optional<F32> addend) {

    /** The binary logarithms of P, but for the row's reference. */
    List<F32> logarithms(List<F32> scores) {
      return scores.stream().map(s -> addend.map(a -> s.fma(softmaxScale, a)).orElseGet(() -> s.times(softmaxScale)))
          .toList();
    }

    /** The addend of softmaxScale · s in P's exponent, given the addend of the row's reference. */
    F32 shift(F32 ofReference) {
      return addend.map(ofReference::plus).orElse(ofReference);
    }

    /** The part of ℓ of a block, from the sum of its P. */
    F32 sum(F32 ofProbabilities) {
      return addend.map(a -> ofProbabilities.times(a.negated().exp2())).orElse(ofProbabilities);
    }
  }

  /** The factor of scores in P's exponent, without the factors of blocks. */
  F32 softmaxScale() {
    return config.modification().softmaxScale(k, ofQuery);
  }

  /** Loads the factors of the block of keys that begins there, and returns its scaling. */
  Block block(Supplier<I32> firstKey) {
    var scale = factors.filter(f -> !f.quantized().keysShareFactor())
        .map(f -> positive(k, ofQuery.times(f.ofKey(tile, firstKey.get())))).orElse(ofQuery);
    var addend = factors.filter(f -> !f.quantized().valuesShareFactor())
        .map(f -> atLeast(LEAST_LOGARITHM, f.ofValue(tile, firstKey.get()).log2()));
    return new Block(scale, config.modification().softmaxScale(k, scale), addend);
  }

  /** The larger of two numbers, or NaN. */
  private static F32 atLeast(float least, F32 value) {
    var bound = value.constant(least);
    return bound.where(value.atMost(bound), value);
  }

  /** The factor of the row of P·V, given 1/ℓ. */
  F32 output(F32 inverse) {
    return factors.filter(f -> f.quantized().valuesShareFactor())
        .map(f -> inverse.times(f.ofValue(tile, k.constant(0)))).orElse(inverse);
  }
}
