package tilewright.simulator.compiler.code;

/** Ends the compilation of a kernel that is larger than what can be compiled. */
public final class TooLarge extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** @param reason what of it is too large, and the limit */
  public TooLarge(String reason) {
    super(reason, null, false, false);
  }
}
