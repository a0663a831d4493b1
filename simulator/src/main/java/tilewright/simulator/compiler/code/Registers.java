package tilewright.simulator.compiler.code;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Gives arrays in the warp to the registers that need one; the others live and die in one loop's locals. */
public final class Registers {
  private final Map<Reg.Kind, Integer> counts = new EnumMap<>(Reg.Kind.class);

  public void place(BasicBlock block, List<Unit> units) {
    block.together.ifPresent(mask -> mask.reads().forEach(this::place));
    block.terminator.reads().forEach(this::place);
    for (var unit : units) {
      switch (unit) {
        case Unit.Loop loop -> {
          loop.loads().forEach(this::place);
          loop.stores().forEach(this::place);
        }
        case Unit.Call(var op) -> {
          op.guard().ifPresent(g -> place(g.predicate()));
          op.reads().forEach(this::place);
          op.writes().forEach(this::place);
        }
      }
    }
  }

  private void place(Reg reg) {
    if (!reg.placed()) reg.place(counts.merge(reg.kind, 1, Integer::sum) - 1);
  }

  public int count(Reg.Kind kind) {
    return counts.getOrDefault(kind, 0);
  }
}
