package tilewright.simulator.compiler.module;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Unsupported;

/** The meaning of names inside a function or a block of it. */
public final class Scope {
  private final Optional<Scope> outer;
  private final Map<String, Reg> registers = new HashMap<>();
  private final Map<String, Place> places = new HashMap<>();
  private final Map<String, String> labels = new HashMap<>();

  /**
   * A variable: its space, and its address there (in global and constant space, its generic address).
   *
   * @param inFrame whether the address counts from the frame pointer
   */
  public record Place(StateSpace space, long address, long bytes, boolean inFrame) {
    Place(StateSpace space, long address, long bytes) {
      this(space, address, bytes, false);
    }
  }

  public Scope(Optional<Scope> outer) {
    this.outer = outer;
  }

  public Scope inner() {
    return new Scope(Optional.of(this));
  }

  public void declare(String name, Reg reg) {
    registers.put(name, reg);
  }

  /** A 128-bit register is held as two of 64 bits. */
  public void declareWide(String name, Reg low, Reg high) {
    declare(half(name, 0), low);
    declare(half(name, 1), high);
  }

  private static String half(String name, int index) {
    return name + "#" + index;
  }

  /** The names of the halves of a 128-bit register, lower first; empty for any other. */
  public List<String> halves(String name) {
    return hasRegister(half(name, 0)) ? List.of(half(name, 0), half(name, 1)) : List.of();
  }

  public void declare(String name, Place place) {
    places.put(name, place);
  }

  /** Labels of different blocks may have the same name; {@code unique} tells them apart. */
  public void declareLabel(String name, String unique) {
    labels.put(name, unique);
  }

  /** The type that a register was declared with. */
  public Optional<PtxType> type(String name) {
    if (registers.containsKey(name)) return Optional.of(registers.get(name).type);
    if (registers.containsKey(half(name, 0))) return Optional.of(PtxType.B128);
    return outer.flatMap(o -> o.type(name));
  }

  public Reg register(String name) {
    if (registers.containsKey(name)) return registers.get(name);
    return outer.orElseThrow(() -> new Unsupported("register " + name + " is not declared")).register(name);
  }

  public boolean hasRegister(String name) {
    return registers.containsKey(name) || outer.map(o -> o.hasRegister(name)).orElse(false);
  }

  public Optional<Place> place(String name) {
    if (places.containsKey(name)) return Optional.of(places.get(name));
    return outer.flatMap(o -> o.place(name));
  }

  public String label(String name) {
    if (labels.containsKey(name)) return labels.get(name);
    return outer.orElseThrow(() -> new Unsupported("label " + name + " is not declared")).label(name);
  }
}
