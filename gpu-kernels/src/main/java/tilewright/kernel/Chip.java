package tilewright.kernel;

/** The GPUs that configurations are chosen for, or that kernels are modelled on. */
public enum Chip {
  A100(108), H200(132), B200(148);

  private final int multiprocessors;

  Chip(int multiprocessors) {
    this.multiprocessors = multiprocessors;
  }

  /** Multiprocessors that are switched on. */
  public int multiprocessors() {
    return multiprocessors;
  }
}
