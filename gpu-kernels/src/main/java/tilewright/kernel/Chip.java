package tilewright.kernel;

import java.util.Comparator;
import java.util.stream.Stream;
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

  /**
   * Returns the largest GPU of a compute capability, which grids are chosen for, or an A100 where none is known.
   *
   * @param capability the compute capability times ten, such as 90
   */
  public static Chip largest(int capability) {
    return Stream.of(values()).filter(chip -> chip.capability == capability)
        .max(Comparator.comparingInt(Chip::multiprocessors)).orElse(A100);
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

  /**
   * Returns the CTAs of a grid that has this many for each multiprocessor. It is one fewer where that were a power of
   * two: at the same time CTAs would read addresses that differ only in high bits.
   */
  public int grid(int each) {
    int ctas = Math.multiplyExact(multiprocessors, each);
    return Integer.bitCount(ctas) == 1 ? ctas - 1 : ctas;
  }

  /** The name on the command line, such as {@code rtx4090}. */
  public String text() {
    return name().toLowerCase();
  }
}
