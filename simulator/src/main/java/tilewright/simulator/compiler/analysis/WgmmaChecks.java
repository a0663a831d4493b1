package tilewright.simulator.compiler.analysis;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.simulator.compiler.code.BasicBlock;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.wgmma.Wgmma;

/**
 * Makes watched code tell what it does to registers that {@code wgmma} works on: those of D, and those of A or its
 * metadata. Between two wgmma instructions the order does not matter, so that a run of other operations tells at its
 * start, and stays one loop.
 */
public final class WgmmaChecks {
  private static final Set<String> OPERANDS = Set.of("a", "d", "metadata");

  private final Set<Reg> watched = new LinkedHashSet<>();

  private WgmmaChecks(List<BasicBlock> blocks) {
    for (var block : blocks) {
      for (var op : block.ops) {
        if (op instanceof Op.Warp w && w.owner() == Wgmma.class && OPERANDS.contains(w.method())) {
          watched.addAll(w.reads());
        }
      }
    }
  }

  public static void insert(List<BasicBlock> blocks) {
    var checks = new WgmmaChecks(blocks);
    if (!checks.watched.isEmpty()) for (var block : blocks) checks.insert(block);
  }

  private void insert(BasicBlock block) {
    var result = new ArrayList<Op>();
    var run = new ArrayList<Op>();
    for (var op : block.ops) {
      boolean ends = op instanceof Op.Warp w && w.owner() == Wgmma.class;
      if (ends) flush(run, result);
      if (ends) result.add(op);
      if (!ends) run.add(op);
    }
    flush(run, result);
    block.ops.clear();
    block.ops.addAll(result);
  }

  private void flush(List<Op> run, List<Op> result) {
    var told = new LinkedHashSet<Touch>();
    for (var op : run) {
      if (op.guard().isEmpty()) touches(op).stream().filter(told::add).forEach(t -> result.add(t.op(Optional.empty())));
    }
    for (var op : run) {
      // Whether a guarded operation happens is known only there.
      if (op.guard().isPresent()) touches(op).forEach(t -> result.add(t.op(op.guard())));
      result.add(op);
    }
    run.clear();
  }

  private record Touch(Reg reg, boolean writes, int site) {
    Op op(Optional<Op.Guard> guard) {
      return new Op.Warp(guard, Wgmma.class, "touch", List.of(new Op.Argument.Lanes(reg),
          new Op.Argument.IntValue(writes ? 1 : 0), new Op.Argument.IntValue(site)), new Op.Result.Nothing(),
          List.of(reg), List.of(), site);
    }
  }

  private List<Touch> touches(Op op) {
    var touches = new ArrayList<Touch>();
    for (var r : op.reads()) if (watched.contains(r)) touches.add(new Touch(r, false, op.site()));
    for (var r : op.writes()) if (watched.contains(r)) touches.add(new Touch(r, true, op.site()));
    return touches;
  }
}
