package tilewright.reference;

/**
 * The expected contents of one tensor after a kernel, elements in memory order.
 *
 * @param tensor the tensor's name
 * @param exact results in FP64 from the same inputs
 * @param stepwise the same computation done step by step in the kernel's own precision
 * @param bitwise whether the kernel must leave exactly the bits of {@code stepwise}
 */
public record Expected(String tensor, double[] exact, double[] stepwise, boolean bitwise) {

  /** Results that are one rounded operation or none, so that only equal bits will do. */
  public static Expected bits(String tensor, double[] values) {
    return new Expected(tensor, values, values, true);
  }

  /** Results that differ from the stepwise ones by what order and approximate functions cost. */
  public static Expected rounded(String tensor, double[] exact, double[] stepwise) {
    return new Expected(tensor, exact, stepwise, false);
  }
}
