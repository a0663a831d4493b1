package llama;

import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;

/** Chooses a token by its logits. */
interface Sampler {
  int choose(float[] logits);

  /** Returns the likeliest token; the first of equals. */
  static Sampler greedy() {
    // A loop: a stream takes eight times as long, and there are as many logits as texts times words.
    return logits -> {
      int best = 0;
      for (int i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
      return best;
    };
  }

  /** Draws from the fewest likeliest tokens whose probabilities are {@code p} together; more than 0, at most 1. */
  static Sampler topP(double p, long seed) {
    if (!(p > 0 && p <= 1)) throw new IllegalArgumentException("top-p is " + p + "; needed is above 0, at most 1");
    var random = new Random(seed);
    return logits -> {
      var tokens = IntStream.range(0, logits.length).boxed()
          .sorted(Comparator.comparingDouble(token -> -logits[token])).toList();
      var sums = tokens.stream().mapToDouble(token -> Math.exp(logits[token] - logits[tokens.getFirst()])).toArray();
      for (int i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
      double kept = sums[first(sums, p * sums[sums.length - 1])];
      return tokens.get(first(sums, random.nextDouble() * kept));
    };
  }

  /** Returns the first index from which on sums are at least a bound. */
  private static int first(double[] sums, double bound) {
    int i = 0;
    while (i < sums.length - 1 && sums[i] < bound) i++;
    return i;
  }
}
