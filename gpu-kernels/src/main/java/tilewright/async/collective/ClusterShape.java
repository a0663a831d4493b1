package tilewright.async.collective;

/**
 * How the CTAs of a cluster share work.
 *
 * @param m tiles one below the other, whose CTAs copy B's tile for each other
 * @param n tiles side by side, whose CTAs copy A's tile for each other
 * @param splits CTAs that work on one tile, each on a part of k
 */
public record ClusterShape(int m, int n, int splits) {

  /** CTAs. */
  public int blocks() {
    return m * n * splits;
  }

  /** CTAs that copy for each other. */
  int sharers() {
    return m * n;
  }

  @Override
  public String toString() {
    return m + "x" + n + (splits > 1 ? "x" + splits : "");
  }
}
