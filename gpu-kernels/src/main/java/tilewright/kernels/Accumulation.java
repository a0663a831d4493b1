package tilewright.kernels;

import java.util.Locale;

/** How a product is summed: by the tensor core alone, or promoted to FP32 registers where it keeps fewer bits. */
public enum Accumulation {
  /** Accumulation in the tensor core, in FP32, or in integers those of integers; on SM90 sums of fp8 keep 14 bits. */
  FAST,
  /** Accumulation in the tensor core in f16, of operands of f16: in half the registers. */
  F16,
  /** Promoted accumulation: in the tensor core for {@link #INTERVAL} of k, and from interval to interval in FP32. */
  EXACT,
  /**
   * Promoted accumulation with block scales: an interval's accumulators are multiplied by the scales of A and B there.
   * Beside a B of 16 bits, whose accumulators can stay, A's scales take part in its conversion.
   */
  SCALED;

  /** Steps of k that an exact accumulation leaves to the tensor core. */
  public static final int INTERVAL = 128;

  /** The name on the command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The accumulation with this {@link #text()}. */
  public static Accumulation named(String text) {
    for (var accumulation : values()) {
      if (accumulation.text().equals(text)) return accumulation;
    }
    throw new IllegalArgumentException("no accumulation is called " + text + ": fast, f16, exact or scaled");
  }
}
