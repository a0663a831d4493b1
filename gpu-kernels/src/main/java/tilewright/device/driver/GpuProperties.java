package tilewright.device.driver;

import tilewright.device.Gpu;

/**
 * One GPU.
 *
 * @param index what {@link Gpu#open(int)} takes
 * @param major of the compute capability
 * @param minor of the compute capability
 * @param maxSharedBytes shared memory one block may have, static and dynamic together, after opting in
 * @param l2Bytes size of the second-level cache
 */
public record GpuProperties(int index, String name, int major, int minor, long memoryBytes, int multiprocessors,
    int maxSharedBytes, int l2Bytes) {

  /** The compute capability, such as {@code 9.0}. */
  public String computeCapability() {
    return major + "." + minor;
  }

  /** Compute capability times ten, such as 90: what {@code sm_90a} needs. */
  public int capability() {
    return major * 10 + minor;
  }
}
