package tilewright.kernels;

import java.util.Locale;

/** How a product is summed where a tensor core's own sums keep fewer bits than an FP32 number: that of fp8 on SM90. */
public enum Accumulation {
  /** Accumulation in the tensor core, which keeps 14 bits. */
  FAST,
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
    throw new IllegalArgumentException("no accumulation is called " + text + ": fast, exact or scaled");
  }
}
