package tilewright.reference;

import java.util.Locale;

/** The pairs of a head that a rotary position embedding turns, each by its angle. */
public enum Rotation {
  /** No embedding. */
  NONE,
  /** Pair i is (2i, 2i + 1). */
  NEIGHBOURS,
  /** Pair i is (i, i + D/2). */
  HALF;

  /** The first element of a pair in a head of so many columns. */
  public int first(int pair) {
    return this == NEIGHBOURS ? 2 * pair : pair;
  }

  /** The second element of a pair in a head of so many columns. */
  public int second(int pair, int columns) {
    return this == NEIGHBOURS ? 2 * pair + 1 : pair + columns / 2;
  }

  /** The name on the command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
