package tilewright.kernel;

import tilewright.ptx.Multiprocessor;

/** The GPUs that configurations are chosen for, that kernels are modelled on, or that the simulator stands for. */
public enum Chip {
  A100(80, 108),
  RTX3090(86, 82),
  RTX4090(89, 128),
  H100(90, 132),
  H200(90, 132),
  B200(100, 148),
  B300(103, 148),
  RTX5090(120, 170);

  private final int capability;
  private final int multiprocessors;

  Chip(int capability, int multiprocessors) {
    this.capability = capability;
    this.multiprocessors = multiprocessors;
  }

  /** The compute capability times ten, such as 90. */
  public int capability() {
    return capability;
  }

  /** Multiprocessors that are switched on. */
  public int multiprocessors() {
    return multiprocessors;
  }

  /** The limits of each multiprocessor. */
  public Multiprocessor multiprocessor() {
    return Multiprocessor.of(capability);
  }

  /** The name on the command line, such as {@code rtx4090}. */
  public String text() {
    return name().toLowerCase();
  }
}
