package tilewright.ops;

import java.util.Optional;
import tilewright.kernels.attention.Attention;

/**
 * What attention does beside softmax(Q·Kᵀ/√D)·V: {@code AttentionOptions.of().causal().softcap(30)}.
 *
 * @param left keys that a query sees before its own position, −1 for all; likewise {@code right} behind it. The last
 *     query is aligned with the last key
 * @param scale of scores, instead of 1/√D
 * @param softcap bound that scores are bent into
 */
public record AttentionOptions(int left, int right, Optional<Float> scale, Optional<Float> softcap) {
  private static final int ALL = -1;

  public AttentionOptions {
    if (left < ALL || right < ALL) {
      throw new IllegalArgumentException("invalid window " + left + "," + right + ": lengths from 0, or -1 for all");
    }
    scale.filter(s -> !(s > 0)).ifPresent(s -> {
      throw new IllegalArgumentException("invalid scale " + s + ": it must be positive");
    });
    softcap.filter(c -> !(c > 0)).ifPresent(c -> {
      throw new IllegalArgumentException("invalid softcap " + c + ": it must be positive");
    });
  }

  /** Every query sees every key; the scale is 1/√D. */
  public static AttentionOptions of() {
    return new AttentionOptions(ALL, ALL, Optional.empty(), Optional.empty());
  }

  /** Each query sees the keys up to its own position; the last query is aligned with the last key. */
  public AttentionOptions causal() {
    return window(left, 0);
  }

  /**
   * Each query sees the keys from {@code before} its own position to {@code behind} it, both included; −1 is all of
   * that side.
   */
  public AttentionOptions window(int before, int behind) {
    return new AttentionOptions(before, behind, scale, softcap);
  }

  /** Scores are multiplied by another number than 1/√D. */
  public AttentionOptions scale(float factor) {
    return new AttentionOptions(left, right, Optional.of(factor), softcap);
  }

  /** Scores are bent into ±{@code cap}: cap · tanh(score / cap). */
  public AttentionOptions softcap(float cap) {
    return new AttentionOptions(left, right, scale, Optional.of(cap));
  }

  void apply(Attention attention) {
    if (left == ALL && right == 0) attention.causal();
    else if (left != ALL || right != ALL) attention.window(left, right);
    scale.ifPresent(attention::scale);
    softcap.ifPresent(attention::softcap);
  }
}
