package tilewright.simulator.compiler.code;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The registers whose values are still needed, block by block. */
public final class Liveness {
  private final Map<BasicBlock, BitSet> liveIn = new HashMap<>();

  /** @param check called now and then: it may end the work */
  public Liveness(List<BasicBlock> blocks, Runnable check) {
    for (var b : blocks) liveIn.put(b, new BitSet());
    boolean changed = true;
    while (changed) {
      changed = false;
      for (var b : blocks.reversed()) {
        check.run();
        var live = out(b);
        for (var op : b.ops.reversed()) step(op, live);
        if (!live.equals(liveIn.get(b))) {
          liveIn.put(b, live);
          changed = true;
        }
      }
    }
  }

  /** The registers that are needed after the block's operations: by its terminator and by its successors. */
  public BitSet out(BasicBlock block) {
    var live = new BitSet();
    // A block that is tried again needs what it began with.
    if (block.terminator instanceof Terminator.Retry) live.or(liveIn.get(block));
    for (var s : block.successors) {
      live.or(liveIn.get(s));
      s.together.ifPresent(mask -> mask.reads().forEach(r -> live.set(r.id)));
    }
    block.terminator.reads().forEach(r -> live.set(r.id));
    return live;
  }

  /** The most 32-bit registers that are live at one time. */
  public int pressure(List<BasicBlock> blocks, List<Reg> registers) {
    int most = 0;
    for (var b : blocks) {
      var live = out(b);
      most = Math.max(most, size(live, registers));
      for (var op : b.ops.reversed()) {
        step(op, live);
        most = Math.max(most, size(live, registers));
      }
    }
    return most;
  }

  private static int size(BitSet live, List<Reg> registers) {
    return live.stream().map(id -> switch (registers.get(id).kind) {
      case PREDICATE -> 0;
      case INT, FLOAT -> 1;
      case LONG, DOUBLE -> 2;
    }).sum();
  }

  /** Goes backward over one operation. */
  static void step(Op op, BitSet live) {
    if (op.guard().isEmpty()) op.writes().forEach(r -> live.clear(r.id));
    op.guard().ifPresent(g -> live.set(g.predicate().id));
    op.reads().forEach(r -> live.set(r.id));
  }
}
