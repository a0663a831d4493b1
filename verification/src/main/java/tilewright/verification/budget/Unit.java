package tilewright.verification.budget;

/** A unit of an SM, or a path to it, that works beside the others. */
public enum Unit {
  TENSOR("tensor cores"),
  EXPONENT("exponent unit"),
  FMA("FMA units"),
  INTEGER("integer, compare and convert units"),
  ISSUE("warp schedulers"),
  SHARED("shared memory"),
  COPY("copies to and from shared memory"),
  TENSOR_MEMORY("Tensor Memory"),
  L2("path from L2");

  private final String text;

  Unit(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
