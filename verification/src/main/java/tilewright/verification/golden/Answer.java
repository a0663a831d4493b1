package tilewright.verification.golden;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The answer of one of our operations.
 *
 * @param refusal why there is no value
 */
record Answer<T>(Optional<T> value, String refusal) {

  /** A refusal is an exception that names its reason; any other exception is a fault and passes through. */
  static <T> Answer<T> of(Supplier<T> operation) {
    try {
      return new Answer<>(Optional.of(operation.get()), "");
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return new Answer<>(Optional.empty(), e.getMessage());
    }
  }

  <R> Answer<R> map(Function<T, R> change) {
    return new Answer<>(value.map(change), refusal);
  }

  boolean refuses() {
    return value.isEmpty();
  }

  /** The value or the refusal, for a report. */
  @Override
  public String toString() {
    return value.map(String::valueOf).orElseGet(() -> "refused: " + refusal);
  }
}
