package tilewright.cli.cuda;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tilewright.kernel.Chip;

/**
 * The figures of a chip that CUDA's device properties tell, as NVIDIA's data sheets give them.
 *
 * @param memoryBytes of global memory
 * @param clockKhz of the SMs, boosted
 * @param devices the number of such devices that a program sees
 */
record SimulatedDevice(Chip chip, String name, long memoryBytes, int clockKhz, int devices) {
  /** The number of devices for which the library keeps permissions. */
  static final int MOST_DEVICES = 16;
  private static final int STATIC_SHARED_BYTES = 48 << 10;
  private static final int NAME_BYTES = 64;
  /** Lanes of f32 arithmetic in an SM. */
  private static final int LANES = 128;
  private static final long LAUNCH_NANOS = 2000;

  private SimulatedDevice(Chip chip, String name, int gibibytes, int clockKhz) {
    this(chip, name, (long) gibibytes << 30, clockKhz, 1);
  }

  /** Several of these devices. */
  SimulatedDevice times(int devices) {
    return new SimulatedDevice(chip, name, memoryBytes, clockKhz, devices);
  }

  static SimulatedDevice of(Chip chip) {
    return switch (chip) {
      case A100 -> new SimulatedDevice(chip, "NVIDIA A100-SXM4-80GB", 80, 1_410_000);
      case RTX3090 -> new SimulatedDevice(chip, "NVIDIA GeForce RTX 3090", 24, 1_695_000);
      case RTX4090 -> new SimulatedDevice(chip, "NVIDIA GeForce RTX 4090", 24, 2_520_000);
      case H100 -> new SimulatedDevice(chip, "NVIDIA H100 80GB HBM3", 80, 1_980_000);
      case H200 -> new SimulatedDevice(chip, "NVIDIA H200", 141, 1_980_000);
      case B200 -> new SimulatedDevice(chip, "NVIDIA B200", 180, 1_965_000);
      case B300 -> new SimulatedDevice(chip, "NVIDIA B300", 270, 1_920_000);
      case RTX5090 -> new SimulatedDevice(chip, "NVIDIA GeForce RTX 5090", 32, 2_407_000);
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
        .put((long) sm.warps()).put((long) sm.ctas()).put(chip.l2Bytes()).put(memoryBytes).put((long) clockKhz)
        .put((long) chip.memoryClockKhz()).put((long) chip.memoryBusBits()).put((long) devices)
        .put(Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), NAME_BYTES));
  }
}
