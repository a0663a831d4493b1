package tilewright.verification.bench;

/** A benchmark that cannot be made here; the message says what is missing. */
public final class BenchmarkException extends RuntimeException {
  private static final long serialVersionUID = 1;

  BenchmarkException(String message) {
    super(message);
  }
}
