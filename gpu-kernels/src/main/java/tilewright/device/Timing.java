package tilewright.device;

/**
 * Device times of one kernel, in milliseconds a run.
 *
 * @param runs how many were timed
 */
public record Timing(double median, double fastest, double slowest, int runs) {

  /** @param operations of one run, such as 2·M·N·K */
  public double teraflops(double operations) {
    return operations / median * 1e-9;
  }

  /** @param bytes moved by one run */
  public double terabytesPerSecond(double bytes) {
    return bytes / median * 1e-9;
  }
}
