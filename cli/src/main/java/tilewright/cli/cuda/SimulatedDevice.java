package tilewright.cli.cuda;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tilewright.kernel.Chip;

/**
 * The figures of a chip that CUDA's device properties tell, as NVIDIA's data sheets give them.
 *
 * @param l2Bytes of the L2 cache
 * @param memoryBytes of global memory
 * @param clockKhz of the SMs, boosted
 * @param devices the number of such devices that a program sees
 */
record SimulatedDevice(Chip chip, String name, long l2Bytes, long memoryBytes, int clockKhz, int memoryClockKhz,
    int busBits, int devices) {
  /** The number of devices for which the library keeps permissions. */
  static final int MOST_DEVICES = 16;
  private static final int STATIC_SHARED_BYTES = 48 << 10;
  private static final int NAME_BYTES = 64;
  /** Lanes of f32 arithmetic in an SM. */
  private static final int LANES = 128;
  private static final long LAUNCH_NANOS = 2000;

  private SimulatedDevice(Chip chip, String name, long l2Bytes, long memoryBytes, int clockKhz, int memoryClockKhz,
      int busBits) {
    this(chip, name, l2Bytes, memoryBytes, clockKhz, memoryClockKhz, busBits, 1);
  }

  /** Several of these devices. */
  SimulatedDevice times(int devices) {
    return new SimulatedDevice(chip, name, l2Bytes, memoryBytes, clockKhz, memoryClockKhz, busBits, devices);
  }

  static SimulatedDevice of(Chip chip) {
    long mib = 1L << 20;
    long gib = 1L << 30;
    return switch (chip) {
      case A100 -> new SimulatedDevice(chip, "NVIDIA A100-SXM4-80GB", 40 * mib, 80 * gib, 1_410_000, 1_593_000, 5120);
      case RTX3090 -> new SimulatedDevice(chip, "NVIDIA GeForce RTX 3090", 6 * mib, 24 * gib, 1_695_000, 9_751_000,
          384);
      case RTX4090 -> new SimulatedDevice(chip, "NVIDIA GeForce RTX 4090", 72 * mib, 24 * gib, 2_520_000, 10_501_000,
          384);
      case H100 -> new SimulatedDevice(chip, "NVIDIA H100 80GB HBM3", 50 * mib, 80 * gib, 1_980_000, 2_619_000, 5120);
      case H200 -> new SimulatedDevice(chip, "NVIDIA H200", 50 * mib, 141 * gib, 1_980_000, 3_201_000, 6144);
      case B200 -> new SimulatedDevice(chip, "NVIDIA B200", 126 * mib, 180 * gib, 1_965_000, 3_996_000, 8192);
      case B300 -> new SimulatedDevice(chip, "NVIDIA B300", 126 * mib, 270 * gib, 1_920_000, 3_996_000, 8192);
      case RTX5090 -> new SimulatedDevice(chip, "NVIDIA GeForce RTX 5090", 96 * mib, 32 * gib, 2_407_000, 14_001_000,
          512);
    };
  }

  /** Name of the chip's PTX target for nvcc, such as {@code compute_90a}. */
  String target() {
    return "compute_" + chip.capability() + (chip.capability() >= 90 ? "a" : "");
  }

  /** An estimate of a launch's time by its arithmetic alone. */
  long nanos(long instructions) {
    return LAUNCH_NANOS + instructions * 1_000_000L / ((long) LANES * chip.multiprocessors() * clockKhz);
  }

  Frame.Answer describe() {
    var sm = chip.multiprocessor();
    return new Frame.Answer(0).put((long) chip.capability()).put((long) chip.multiprocessors())
        .put((long) STATIC_SHARED_BYTES).put((long) sm.ctaSharedBytes()).put((long) sm.sharedBytes())
        .put((long) sm.warps()).put((long) sm.ctas()).put(l2Bytes).put(memoryBytes).put((long) clockKhz)
        .put((long) memoryClockKhz).put((long) busBits).put((long) devices)
        .put(Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), NAME_BYTES));
  }
}
