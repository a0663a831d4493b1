package tilewright.kernel;

/** The GPUs that configurations are chosen for. */
public enum Chip {
  H200(132), B200(148);

  private final int multiprocessors;

  Chip(int multiprocessors) {
    this.multiprocessors = multiprocessors;
  }

  /** Multiprocessors that are switched on. */
  public int multiprocessors() {
    return multiprocessors;
  }
}
