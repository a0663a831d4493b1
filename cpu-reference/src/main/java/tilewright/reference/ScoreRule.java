package tilewright.reference;

/**
 * The change of the scaled score of query {@code q} and key {@code k} before the softmax, in head {@code h} of batch
 * entry {@code b}. Queries are aligned at the end: query i of {@code queries} has position i + keys − queries
 * among the keys.
 */
public interface ScoreRule {
  /** Changes nothing. */
  ScoreRule NONE = new ScoreRule() {};

  /** Whether the query sees the key. */
  default boolean visible(int b, int h, int q, int k) {
    return true;
  }

  /** The score that goes into the softmax. */
  default double change(double score, int b, int h, int q, int k) {
    return score;
  }

  /** The derivative of {@link #change} by the score. */
  default double slope(double score, int b, int h, int q, int k) {
    return 1;
  }

  /** Keys up to the query's own position. */
  static ScoreRule causal(int queries, int keys) {
    return window(queries, keys, Integer.MAX_VALUE, 0);
  }

  /** Keys from {@code left} before the query's position to {@code right} behind it. */
  static ScoreRule window(int queries, int keys, int left, int right) {
    return mask((b, h, q, k) -> {
      long position = (long) q + keys - queries;
      return k <= position + right && k >= position - left;
    });
  }

  /** Scores bent into ±{@code cap}: cap · tanh(score / cap). */
  static ScoreRule softcap(double cap) {
    return new ScoreRule() {
      @Override
      public double change(double score, int b, int h, int q, int k) {
        return cap * Math.tanh(score / cap);
      }

      @Override
      public double slope(double score, int b, int h, int q, int k) {
        double t = Math.tanh(score / cap);
        return 1 - t * t;
      }
    };
  }

  /** Only a mask. */
  static ScoreRule mask(Visible visible) {
    return new ScoreRule() {
      @Override
      public boolean visible(int b, int h, int q, int k) {
        return visible.test(b, h, q, k);
      }
    };
  }

  /** Something added to every score. */
  static ScoreRule bias(Bias bias) {
    return new ScoreRule() {
      @Override
      public double change(double score, int b, int h, int q, int k) {
        return score + bias.of(b, h, q, k);
      }
    };
  }

  /** This rule, then another on its scores; visible is what both let through. */
  default ScoreRule and(ScoreRule next) {
    var first = this;
    return new ScoreRule() {
      @Override
      public boolean visible(int b, int h, int q, int k) {
        return first.visible(b, h, q, k) && next.visible(b, h, q, k);
      }

      @Override
      public double change(double score, int b, int h, int q, int k) {
        return next.change(first.change(score, b, h, q, k), b, h, q, k);
      }

      @Override
      public double slope(double score, int b, int h, int q, int k) {
        return first.slope(score, b, h, q, k) * next.slope(first.change(score, b, h, q, k), b, h, q, k);
      }
    };
  }

  /** A mask of (batch entry, head, query, key). */
  @FunctionalInterface
  interface Visible {
    boolean test(int b, int h, int q, int k);
  }

  /** A number for (batch entry, head, query, key). */
  @FunctionalInterface
  interface Bias {
    double of(int b, int h, int q, int k);
  }
}
