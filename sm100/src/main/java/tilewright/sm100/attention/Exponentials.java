package tilewright.sm100.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.sm100.atom.F32x2;

/**
 * The probabilities 2^(scale·s + shift) of a row, two at a time: some by {@code ex2}, of which an SM computes 16 per
 * cycle, some by {@link PolynomialExp2} on FMA units that are idle (FlashAttention-4, section 3.1). The choice depends
 * on the place in the block alone, so that equal rows have equal probabilities.
 *
 * @param emulated how many of 16 neighbouring pairs FMA units compute
 */
record Exponentials(Scope k, int emulated) {
  private static final int PAIRS = 16;

  Exponentials {
    if (emulated < 0 || emulated > PAIRS) {
      throw new IllegalArgumentException("invalid share of " + emulated + " emulated pairs: 0 to " + PAIRS);
    }
  }

  /** The exponentials of a row, with their sum. */
  Row of(F32 scale, F32 shift) {
    return new Row(F32x2.of(k, scale, scale), F32x2.of(k, shift, shift));
  }

  final class Row {
    private final F32x2 scale;
    private final F32x2 shift;
    private Optional<F32x2> sums = Optional.empty();

    private Row(F32x2 scale, F32x2 shift) {
      this.scale = scale;
      this.shift = shift;
    }

    /**
     * Computes the probabilities of the row's next scores.
     *
     * @param mayEmulate false where the time until their use is short
     */
    List<F32> probabilities(List<F32> scores, boolean mayEmulate) {
      var probabilities = new ArrayList<F32>();
      for (int i = 0; i < scores.size(); i += 2) {
        var logarithms = F32x2.of(k, scores.get(i), scores.get(i + 1)).fma(scale, shift);
        var pair = mayEmulate && isEmulated(i / 2) ? PolynomialExp2.of(k, logarithms)
            : logarithms.singles().stream().map(F32::exp2).toList();
        pair.forEach(F32::register);
        var both = F32x2.of(k, pair.get(0), pair.get(1));
        sums = Optional.of(sums.map(both::plus).orElse(both));
        probabilities.addAll(pair);
      }
      return probabilities;
    }

    F32 sum() {
      var both = sums.orElseThrow().singles();
      return both.get(0).plus(both.get(1));
    }
  }

  /** Whether FMA units compute a pair; those pairs are spread evenly. */
  private boolean isEmulated(int pair) {
    return (pair % PAIRS + 1) * emulated / PAIRS != pair % PAIRS * emulated / PAIRS;
  }
}
