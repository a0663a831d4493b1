package tilewright.kernel.collective.attention;

/** The numbers of each row that attention stores beside O. */
public enum Statistics {
  NONE,
  /** The logarithm of the row's sum of exponentials. */
  LOGARITHMS,
  /** The row's largest score, and the sum of exponentials relative to it. */
  MAXIMA_AND_SUMS
}
