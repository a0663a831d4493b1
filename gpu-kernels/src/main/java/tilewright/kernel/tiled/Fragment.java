package tilewright.kernel.tiled;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** Registers that hold a thread's part of a tile, as groups that one instruction reads or writes. */
public record Fragment(List<List<Operand.Register>> groups) {
  /** Accumulators of a thread in one {@code mma.m16n8}. */
  private static final int ATOM = 4;

  /** A fragment of fresh registers. */
  public static Fragment of(Scope k, PtxType type, int groups, int registers) {
    var all = new ArrayList<List<Operand.Register>>();
    for (int g = 0; g < groups; g++) {
      var group = new ArrayList<Operand.Register>();
      for (int r = 0; r < registers; r++) group.add(k.newRegister(type));
      all.add(List.copyOf(group));
    }
    return new Fragment(List.copyOf(all));
  }

  /** Sets every register to zero. */
  public void clear(Scope k, PtxType type) {
    Operand zero = type == PtxType.F32 ? Operand.Float.of(0f) : new Operand.Integer(0);
    for (var group : groups) {
      for (var register : group) k.emit("mov." + type.text(), register, zero);
    }
  }

  /** A number of accumulators, whose atoms have four each: of FP32, or of f16, two in a register. */
  public F32 accumulator(Scope k, int value) {
    var atom = groups.get(value / ATOM);
    int place = value % ATOM;
    if (atom.size() == ATOM) return k.result(atom.get(place));
    return Vector.packed(k, ElementType.F16, List.of(atom.get(place / 2))).values().get(place % 2);
  }

  /** Two accumulators side by side, of which the first has an even number. */
  public List<F32> accumulators(Scope k, int even) {
    var atom = groups.get(even / ATOM);
    int place = even % ATOM;
    if (atom.size() == ATOM) return atom.subList(place, place + 2).stream().map(k::result).toList();
    return Vector.packed(k, ElementType.F16, List.of(atom.get(place / 2))).values();
  }

  /** The number of accumulators in atoms of four. */
  public int values() {
    return ATOM * groups.size();
  }

  /** All registers, group by group. */
  public List<Operand.Register> registers() {
    return groups.stream().flatMap(List::stream).toList();
  }

  public List<Operand.Register> group(int index) {
    return groups.get(index);
  }
}
