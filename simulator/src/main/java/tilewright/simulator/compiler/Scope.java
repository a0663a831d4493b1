package tilewright.simulator.compiler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.StateSpace;

/** What names mean inside a function or a block of it. */
final class Scope {
  private final Optional<Scope> outer;
  private final Map<String, Reg> registers = new HashMap<>();
  private final Map<String, Place> places = new HashMap<>();
  private final Map<String, String> labels = new HashMap<>();
  private final Set<String> unusable = new HashSet<>();

  /** A variable: its space, and its address there (in global and constant space, its generic address). */
  record Place(StateSpace space, long address, long bytes) {}

  Scope(Optional<Scope> outer) {
    this.outer = outer;
  }

  Scope inner() {
    return new Scope(Optional.of(this));
  }

  void declare(String name, Reg reg) {
    registers.put(name, reg);
  }

  void declareUnusable(String name) {
    unusable.add(name);
  }

  void declare(String name, Place place) {
    places.put(name, place);
  }

  /** Labels of different blocks may have the same name; {@code unique} tells them apart. */
  void declareLabel(String name, String unique) {
    labels.put(name, unique);
  }

  Reg register(String name) {
    if (registers.containsKey(name)) return registers.get(name);
    if (unusable.contains(name)) throw new Unsupported("128-bit registers are not supported");
    return outer.orElseThrow(() -> new Unsupported("register " + name + " is not declared")).register(name);
  }

  boolean hasRegister(String name) {
    return registers.containsKey(name) || outer.map(o -> o.hasRegister(name)).orElse(false);
  }

  Optional<Place> place(String name) {
    if (places.containsKey(name)) return Optional.of(places.get(name));
    return outer.flatMap(o -> o.place(name));
  }

  String label(String name) {
    if (labels.containsKey(name)) return labels.get(name);
    return outer.orElseThrow(() -> new Unsupported("label " + name + " is not declared")).label(name);
  }
}
