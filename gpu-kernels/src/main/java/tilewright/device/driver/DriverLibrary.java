package tilewright.device.driver;

/** Where the driver's C functions come from; tests give others. */
@FunctionalInterface
public interface DriverLibrary {
  /**
   * A function that returns a {@code CUresult}.
   *
   * @param symbol as the library exports it, such as {@code cuMemAlloc_v2}
   * @throws GpuException when the library has no such function
   */
  DriverFunction find(String symbol, int parameters);
}
