package tilewright.kernels.attention.appending;

import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;

/** The rounding of new tokens to codes of e4m3, each of which stands for itself times a factor. */
public enum CacheCodes {
  /** No codes: a cache of the tokens' type. */
  NONE,
  /** Codes of keys, values and queries, with a factor of each head that the caller gives. */
  ALL,
  /** Codes of keys and values beside queries of 16 bits, with a factor of each head that the caller gives. */
  CACHE,
  /** Codes of keys and values beside queries of 16 bits, with a factor of each head of each token that is computed. */
  TOKENS;

  /** The least factor of a token's keys, whose inverse is a normal number. */
  static final float LEAST_OF_KEYS = 0x1p-100f;

  /** The codes of a problem's cache. */
  static CacheCodes of(AttentionProblem p) {
    if (p.quantized().isPresent()) return ALL;
    return p.serving().codes().map(codes -> codes.ofTokens() ? TOKENS : CACHE).orElse(NONE);
  }

  /** Why a problem's codes cannot be appended, if they cannot. */
  static Optional<String> refusal(AttentionProblem p) {
    boolean blocks = p.blockScaled() || p.quantized().filter(q -> Stream.of(q.q(), q.k(), q.v())
        .anyMatch(f -> f.rows() != Factors.WHOLE)).isPresent();
    return blocks ? Optional.of("codes are appended with a factor of each head, tensor or token, not of blocks")
        : Optional.empty();
  }

  ElementType cache(ElementType tokens) {
    return this == NONE ? tokens : ElementType.E4M3;
  }

  ElementType queries(ElementType tokens) {
    return this == ALL ? ElementType.E4M3 : tokens;
  }

  /** The least factor that is computed. */
  public static float least(boolean values) {
    return values ? Serving.Factor.LEAST_OF_VALUES : LEAST_OF_KEYS;
  }

  /** The largest factor that is computed: larger magnitudes saturate. */
  public static float most(boolean values) {
    return values ? Serving.Factor.MOST_OF_VALUES : Float.MAX_VALUE;
  }

  /** The part of a kernel's name that tells kernels for other codes apart. */
  String text() {
    return switch (this) {
      case NONE -> "";
      case ALL -> "_e4m3";
      case CACHE -> "_e4m3_cache";
      case TOKENS -> "_e4m3_tokens";
    };
  }
}
