package tilewright.device.driver;

/** One function of the driver's C interface. */
@FunctionalInterface
public interface DriverFunction {
  /**
   * Calls it. Integers, handles and addresses all go as {@code long}: in the 64-bit calling conventions of Linux an
   * {@code int} takes a whole register or stack slot, of which the callee reads the lower half.
   *
   * @return a {@code CUresult}
   */
  int call(long... arguments);
}
