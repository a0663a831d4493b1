package tilewright.simulator.compiler;

/** The reason why one instruction cannot be executed; the loader collects them. */
final class Unsupported extends RuntimeException {
  private static final long serialVersionUID = 1;

  Unsupported(String reason) {
    super(reason, null, false, false);
  }
}
