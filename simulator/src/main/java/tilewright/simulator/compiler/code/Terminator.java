package tilewright.simulator.compiler.code;

import java.util.List;

/** How control leaves a basic block. */
public sealed interface Terminator {
  /** Registers it decides by. */
  default List<Reg> reads() {
    return switch (this) {
      case Branch(var guard, var _) -> List.of(guard.predicate());
      case Indexed(var index, var _) -> List.of(index);
      default -> List.of();
    };
  }

  record Next() implements Terminator {}

  record Goto(String label) implements Terminator {}

  record Branch(Op.Guard guard, String label) implements Terminator {}

  record Indexed(Reg index, List<String> labels) implements Terminator {}

  /** The last operation may make the lanes wait; they go on behind it. */
  record Suspend() implements Terminator {}

  /** The last operation may make the lanes wait; the block is executed again. */
  record Retry() implements Terminator {}

  record Exit() implements Terminator {}
}
