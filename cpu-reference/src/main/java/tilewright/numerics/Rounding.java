package tilewright.numerics;

/** How a value between two representable ones is rounded: PTX's rn, rz, rp, rm and rna in this order. */
public enum Rounding {
  NEAREST_EVEN, TOWARD_ZERO, UP, DOWN, NEAREST_AWAY;

  /**
   * Whether the magnitude grows to the next representable one.
   *
   * @param odd whether the truncated magnitude ends in a one
   * @param half sign of (discarded part - half a unit in the last place); the discarded part is not zero
   */
  boolean increments(boolean negative, boolean odd, int half) {
    return switch (this) {
      case NEAREST_EVEN -> half > 0 || half == 0 && odd;
      case NEAREST_AWAY -> half >= 0;
      case TOWARD_ZERO -> false;
      case UP -> !negative;
      case DOWN -> negative;
    };
  }

  /** Whether a magnitude beyond the largest finite one becomes infinite. */
  boolean overflowsToInfinity(boolean negative) {
    return switch (this) {
      case NEAREST_EVEN, NEAREST_AWAY -> true;
      case TOWARD_ZERO -> false;
      case UP -> !negative;
      case DOWN -> negative;
    };
  }
}
