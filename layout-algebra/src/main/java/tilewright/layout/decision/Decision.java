package tilewright.layout.decision;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * The answer of a partial operation.
 *
 * @param <T> what the operation gives where it is defined
 */
public sealed interface Decision<T> {

  /** A result that satisfies the operation's defining equation. */
  record Defined<T>(T result, Certificate certificate) implements Decision<T> {}

  /**
   * There is none.
   *
   * @param operation with its operands, in notation
   * @param condition what would have to hold
   * @param mode the mode at fault, if one is
   * @param numbers the numbers for which it does not hold
   * @param witness where the defining equation would fail, if a coordinate shows it
   */
  record Undefined<T>(String operation, String condition, OptionalInt mode, String numbers, Optional<Witness> witness)
      implements Decision<T> {

    public static <T> Undefined<T> of(String operation, String condition, String numbers) {
      return new Undefined<>(operation, condition, OptionalInt.empty(), numbers, Optional.empty());
    }

    public String message() {
      return operation + " is undefined: " + condition
          + (mode.isPresent() ? "; mode " + mode.getAsInt() + ": " : "; ") + numbers
          + witness.map(w -> " (witness: " + w + ")").orElse("");
    }

    /** This reason, for an operation that needs this one. */
    public <U> Undefined<U> as(String outerOperation) {
      return new Undefined<>(outerOperation, condition, mode, numbers + " in " + operation, witness);
    }

    /** This reason, for an operation that works by mode. */
    public <U> Undefined<U> inMode(int index, String outerOperation) {
      return new Undefined<>(outerOperation, condition, OptionalInt.of(index), numbers + " in " + operation, witness);
    }
  }

  /** The result regrouped by {@code function}, or the same reason. */
  default <U> Decision<U> map(Function<? super T, ? extends U> function) {
    return switch (this) {
      case Defined<T>(var result, var certificate) -> new Defined<>(function.apply(result), certificate);
      case Undefined<T>(var operation, var condition, var mode, var numbers, var witness) ->
          new Undefined<>(operation, condition, mode, numbers, witness);
    };
  }

  /**
   * The result.
   *
   * @throws UndefinedOperationException with the reason when there is none
   */
  default T orElseThrow() {
    return switch (this) {
      case Defined<T> defined -> defined.result();
      case Undefined<T> undefined -> throw new UndefinedOperationException(undefined);
    };
  }
}
