package tilewright.layout.morphism;

import java.util.Optional;
import java.util.OptionalInt;
import tilewright.layout.decision.Decision;

/** Why an operation on morphisms has no result. */
final class Reasons {
  private Reasons() {}

  static <T> Decision<T> undefined(String operation, String condition, String numbers) {
    return new Decision.Undefined<>(operation, condition, OptionalInt.empty(), numbers, Optional.empty());
  }

  /** @param mode the integer at fault, counted from 0 */
  static <T> Decision<T> undefined(String operation, String condition, int mode, String numbers) {
    return new Decision.Undefined<>(operation, condition, OptionalInt.of(mode), numbers, Optional.empty());
  }

  /** The reason why a step of an operation has no result, as the operation's own. */
  static <T> Decision<T> because(Decision.Undefined<?> step, String operation) {
    return new Decision.Undefined<>(operation, step.condition(), step.mode(),
        step.numbers() + " in the " + step.operation(), step.witness());
  }
}
