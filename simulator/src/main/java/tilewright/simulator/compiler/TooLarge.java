package tilewright.simulator.compiler;

/** Ends the compilation of a kernel that is larger than what can be compiled. */
final class TooLarge extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** @param reason what of it is too large, and the limit */
  TooLarge(String reason) {
    super(reason, null, false, false);
  }
}
