package tilewright.kernel;

import java.util.Comparator;
import java.util.stream.Stream;
import tilewright.ptx.Multiprocessor;

/** The GPUs that configurations are chosen for, that kernels are modelled on, or that the simulator stands for. */
public enum Chip {
  A100(80, 108, 40, 1_593_000, 5120),
  RTX3090(86, 82, 6, 9_751_000, 384),
  RTX4090(89, 128, 72, 10_501_000, 384),
  H100(90, 132, 50, 2_619_000, 5120),
  H200(90, 132, 50, 3_201_000, 6144),
  B200(100, 148, 126, 3_996_000, 8192),
  B300(103, 148, 126, 3_996_000, 8192),
  RTX5090(120, 170, 96, 14_001_000, 512);

  private final int capability;
  private final int multiprocessors;
  private final int l2Mebibytes;
  private final int memoryClockKhz;
  private final int memoryBusBits;

  Chip(int capability, int multiprocessors, int l2Mebibytes, int memoryClockKhz, int memoryBusBits) {
    this.capability = capability;
    this.multiprocessors = multiprocessors;
    this.l2Mebibytes = l2Mebibytes;
    this.memoryClockKhz = memoryClockKhz;
    this.memoryBusBits = memoryBusBits;
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

  /** Bytes of the L2 cache. */
  public long l2Bytes() {
    return (long) l2Mebibytes << 20;
  }

  /** The clock of global memory, which moves two bits a line in each cycle. */
  public int memoryClockKhz() {
    return memoryClockKhz;
  }

  /** Lines to global memory. */
  public int memoryBusBits() {
    return memoryBusBits;
  }

  /** Bytes a second that global memory's lines can move; copies reach nine tenths of them. */
  public long memoryBytesPerSecond() {
    return 2L * memoryClockKhz * 1000 * memoryBusBits / Byte.SIZE;
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
