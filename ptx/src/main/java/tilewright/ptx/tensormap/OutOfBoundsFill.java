package tilewright.ptx.tensormap;

import java.util.Arrays;
import java.util.Optional;

/** The value that a load puts for elements outside the tensor, in the order of {@code CUtensorMapFloatOOBfill}. */
public enum OutOfBoundsFill {
  ZERO("zero"),
  /** A special NaN ({@code NAN_REQUEST_ZERO_FMA}); only for floating-point elements. */
  NAN("nan");

  private final String text;

  OutOfBoundsFill(String text) {
    this.text = text;
  }

  public static Optional<OutOfBoundsFill> parse(String text) {
    return Arrays.stream(values()).filter(t -> t.text.equals(text)).findFirst();
  }

  @Override
  public String toString() {
    return text;
  }
}
