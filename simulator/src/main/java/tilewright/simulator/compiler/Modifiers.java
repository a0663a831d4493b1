package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;

/** An instruction's modifiers, taken one by one; whatever nobody takes is not supported. */
final class Modifiers {
  private final List<String> rest;

  Modifiers(Instruction instruction) {
    rest = new ArrayList<>(instruction.modifiers());
  }

  /** Takes a modifier if it is there. */
  boolean take(String modifier) {
    return rest.remove(modifier);
  }

  /** Takes the first of the modifiers that is there. */
  Optional<String> takeOne(Set<String> modifiers) {
    var found = rest.stream().filter(modifiers::contains).findFirst();
    found.ifPresent(rest::remove);
    return found;
  }

  /** Takes modifiers that change nothing here, such as cache hints. */
  void ignore(Set<String> modifiers) {
    rest.removeIf(modifiers::contains);
  }

  void ignorePrefix(String prefix) {
    rest.removeIf(m -> m.startsWith(prefix));
  }

  /** Takes the next type in order. */
  PtxType type() {
    for (int i = 0; i < rest.size(); i++) {
      var type = PtxType.parse(rest.get(i));
      if (type.isPresent()) {
        rest.remove(i);
        return type.get();
      }
    }
    throw new Unsupported("the instruction names no type");
  }

  Optional<PtxType> typeIfAny() {
    return rest.stream().anyMatch(m -> PtxType.parse(m).isPresent()) ? Optional.of(type()) : Optional.empty();
  }

  /** Takes what must be there. */
  void require(String modifier) {
    if (!take(modifier)) throw new Unsupported("only the form with ." + modifier + " is supported");
  }

  void requireNone() {
    if (!rest.isEmpty()) throw new Unsupported("modifier ." + String.join(", .", rest) + " is not supported here");
  }
}
