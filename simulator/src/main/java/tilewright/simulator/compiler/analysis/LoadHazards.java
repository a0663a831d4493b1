package tilewright.simulator.compiler.analysis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.tcgen05.TensorTransfer;

/**
 * Makes watched code tell when it reads a register that a {@code tcgen05.ld} fills, so that reads before the wait are
 * found. Kernels without such loads stay as they are.
 */
final class LoadHazards {
  private LoadHazards() {}

  static List<Lowering.Item> watch(List<Lowering.Item> items) {
    Map<Reg, Integer> filled = new HashMap<>();
    for (var item : items) {
      if (item instanceof Lowering.Item.Step(Op.Warp op) && op.owner() == TensorTransfer.class
          && op.method().equals("filling") && op.arguments().getFirst() instanceof Op.Argument.IntValue(int number)) {
        filled.put(op.writes().getFirst(), number);
      }
    }
    if (filled.isEmpty()) return items;
    var watched = new ArrayList<Lowering.Item>();
    for (var item : items) {
      if (item instanceof Lowering.Item.Step(var op)) {
        for (var r : read(op, filled.keySet())) {
          watched.add(new Lowering.Item.Step(new Op.Warp(op.guard(), TensorTransfer.class, "reading",
              List.of(new Op.Argument.IntValue(filled.get(r)), new Op.Argument.IntValue(op.site())),
              new Op.Result.Nothing(), List.of(), List.of(), op.site())));
        }
      }
      watched.add(item);
    }
    return watched;
  }

  private static Set<Reg> read(Op op, Set<Reg> filled) {
    return op.reads().stream().filter(filled::contains).collect(Collectors.toSet());
  }
}
