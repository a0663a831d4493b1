package tilewright.kernels.attention.merging;

/** The kinds of division of keys for which kernels are traced. */
public enum Splitting {
  /** A tile has all of its keys, and stores results. */
  NONE,
  /** All tiles have as many splits, each of which leaves a state. */
  EVEN,
  /** Workers have equal shares of the batch: a tile that lies in one stores results, others leave states. */
  BALANCED;

  /** Whether launches behind the kernel merge states. */
  public boolean merges() {
    return this != NONE;
  }
}
