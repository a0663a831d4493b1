package tilewright.simulator.compiler.lowering;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Unsupported;

/** An instruction's modifiers, taken one by one; whatever nobody takes is not supported. */
public final class Modifiers {
  private final List<String> rest;

  public Modifiers(Instruction instruction) {
    rest = new ArrayList<>(instruction.modifiers());
  }

  /** Takes a modifier if it is there. */
  public boolean take(String modifier) {
    return rest.remove(modifier);
  }

  /** Takes the first of the modifiers that is there. */
  public Optional<String> takeOne(Set<String> modifiers) {
    var found = rest.stream().filter(modifiers::contains).findFirst();
    found.ifPresent(rest::remove);
    return found;
  }

  /** Takes the first modifier that is of that form. */
  public Optional<String> takeMatching(Pattern form) {
    return takeFirst(modifier -> Optional.of(modifier).filter(form.asMatchPredicate()));
  }

  /** Takes the first modifier that stands for something. */
  public <T> Optional<T> takeFirst(Function<String, Optional<T>> meaning) {
    for (int i = 0; i < rest.size(); i++) {
      var found = meaning.apply(rest.get(i));
      if (found.isPresent()) {
        rest.remove(i);
        return found;
      }
    }
    return Optional.empty();
  }

  /** Whether any modifier is left. */
  public boolean any() {
    return !rest.isEmpty();
  }

  /** Takes modifiers that change nothing here, such as cache hints. */
  public void ignore(Set<String> modifiers) {
    rest.removeIf(modifiers::contains);
  }

  public void ignorePrefix(String prefix) {
    rest.removeIf(m -> m.startsWith(prefix));
  }

  /** Takes the next type in order. */
  public PtxType type() {
    return typeIfAny().orElseThrow(() -> new Unsupported("the instruction names no type"));
  }

  public Optional<PtxType> typeIfAny() {
    return takeFirst(PtxType::parse);
  }

  /** Takes what must be there. */
  public void require(String modifier) {
    if (!take(modifier)) throw new Unsupported("only the form with ." + modifier + " is supported");
  }

  public void requireNone() {
    if (!rest.isEmpty()) throw new Unsupported("modifier ." + String.join(", .", rest) + " is not supported here");
  }
}
