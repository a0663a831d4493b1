package tilewright.layout;

import java.util.Optional;

/** The answer of a partial operation. */
public sealed interface Decision {

  /** A layout that satisfies the operation's defining equation. */
  record Defined(Layout layout) implements Decision {}

  /**
   * There is none.
   *
   * @param operation with its operands, in notation
   * @param condition what would have to hold
   * @param numbers the numbers for which it does not
   * @param witness an index at which the defining equation would fail, if one index shows it
   */
  record Undefined(String operation, String condition, String numbers, Optional<Long> witness) implements Decision {
    public String message() {
      return operation + " is undefined: " + condition + "; " + numbers + witness.map(w -> " (witness: index " + w + ")").orElse("");
    }
  }

  /**
   * The layout.
   *
   * @throws UndefinedOperationException with the reason when there is none
   */
  default Layout orElseThrow() {
    return switch (this) {
      case Defined defined -> defined.layout();
      case Undefined undefined -> throw new UndefinedOperationException(undefined);
    };
  }
}
