package tilewright.verification.budget;

import java.util.Map;
import tilewright.kernel.Chip;

/**
 * The rates of a GPU as its makers and others describe them.
 *
 * @param gigahertz at which the published peak holds; under load the power limit may lower it
 * @param perCycle what an SM's units do in a cycle: operations, warp instructions or bytes
 * @param bytesPerSecond of global memory, as copies reach
 */
public record ChipRates(Chip chip, double gigahertz, Map<Unit, Integer> perCycle, double bytesPerSecond) {
  /** NVIDIA's peak of 312 TFLOP/s and 2 TB/s (A100 of 80 GB); arithmetic by the CUDA programming guide. */
  public static final ChipRates A100 = new ChipRates(Chip.A100, 1.41, rates(2048, 64, 512), 2.0e12);
  /**
   * Operations by NVIDIA's peak of 989.5 TFLOP/s; arithmetic by the CUDA programming guide's table of throughputs; 64
   * bytes from L2 as on earlier chips; memory by copies that this project measured.
   */
  public static final ChipRates H200 = new ChipRates(Chip.H200, 1.83, rates(4096, 128, 512), 4.26e12);
  /**
   * Operations, exponentials and shared memory as FlashAttention-4 states them; 128 lanes of 4 bytes for Tensor Memory
   * are assumed, since nobody published a measurement; memory by others' copies.
   */
  public static final ChipRates B200 = new ChipRates(Chip.B200, 1.85, rates(8192, 128, 512), 7.0e12);

  public ChipRates {
    perCycle = Map.copyOf(perCycle);
  }

  private static Map<Unit, Integer> rates(int tensor, int fma, int tensorMemory) {
    return Map.of(Unit.TENSOR, tensor, Unit.EXPONENT, 16, Unit.FMA, fma, Unit.INTEGER, 64, Unit.ISSUE, 4,
        Unit.SHARED, 128, Unit.COPY, 128, Unit.TENSOR_MEMORY, tensorMemory, Unit.L2, 64);
  }

  /** The rates of the GPU that kernels for {@code sm80}, {@code sm90} or {@code sm100} are made for. */
  public static ChipRates of(String arch) {
    return switch (arch) {
      case "sm80" -> A100;
      case "sm90" -> H200;
      case "sm100" -> B200;
      default -> throw new IllegalArgumentException("no budget for " + arch + ": sm80, sm90 or sm100");
    };
  }

  /** Cycles that a unit of one SM takes. */
  public double cycles(Counts counts, Unit unit) {
    return counts.of(unit) / perCycle.get(unit);
  }

  /** TFLOP/s of all tensor cores with 16-bit operands. */
  public double peak() {
    return perCycle.get(Unit.TENSOR) * gigahertz * chip.multiprocessors() / 1e3;
  }
}
