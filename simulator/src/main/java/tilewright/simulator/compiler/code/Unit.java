package tilewright.simulator.compiler.code;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A piece of a block that is emitted as one: a loop over the lanes, or one call into the machine. */
public sealed interface Unit {
  /** About how many bytes of bytecode it takes. */
  int size();

  record Call(Op.Warp op) implements Unit {
    @Override
    public int size() {
      return 40 + 10 * op.arguments().size();
    }
  }

  /**
   * Neighbouring lane operations in one loop.
   *
   * @param loads registers whose values the loop needs from outside
   * @param stores registers whose values are needed after it
   * @param reached numbers of its registers that may hold what nobody has written
   */
  record Loop(List<Op.Lane> ops, Set<Reg> loads, Set<Reg> stores, BitSet reached) implements Unit {
    private static final int LONGEST = 64;

    /** Whether it has to follow what nobody has written. */
    boolean follows() {
      return !reached.isEmpty();
    }

    @Override
    public int size() {
      int one = 18 * ops.size() + 8 * (loads.size() + stores.size());
      return 40 + 2 * one + 9 * (loads.size() + stores.size()) + (follows() ? one + 45 * ops.size() : 0);
    }
  }

  /**
   * The units of a block.
   *
   * @param liveOut numbers of the registers that are needed after it
   * @param reached of those that may hold what nobody has written
   */
  static List<Unit> of(BasicBlock block, BitSet liveOut, BitSet reached) {
    var units = new ArrayList<Unit>();
    var live = (BitSet) liveOut.clone();
    var run = new ArrayList<Op.Lane>();
    for (var op : block.ops.reversed()) {
      switch (op) {
        case Op.Lane lane -> {
          if (needed(lane, live, run)) run.add(lane);
          if (run.size() == Loop.LONGEST) flush(run, units, live, reached);
        }
        case Op.Warp warp -> {
          flush(run, units, live, reached);
          Liveness.step(warp, live);
          units.add(new Unit.Call(warp));
        }
      }
    }
    flush(run, units, live, reached);
    return units.reversed();
  }

  /** Whether anything after it, in the same run or later, uses a result of the operation. */
  private static boolean needed(Op.Lane lane, BitSet liveAfterRun, List<Op.Lane> later) {
    return lane.writes().stream().anyMatch(r -> liveAfterRun.get(r.id)
        || later.stream().anyMatch(o -> o.reads().contains(r) || o.guard().map(g -> g.predicate() == r).orElse(false)));
  }

  private static void flush(List<Op.Lane> reversedRun, List<Unit> units, BitSet live, BitSet reached) {
    if (reversedRun.isEmpty()) return;
    var ops = List.copyOf(reversedRun.reversed());
    reversedRun.clear();
    var loads = new LinkedHashSet<Reg>();
    var written = new LinkedHashSet<Reg>();
    for (var op : ops) {
      op.guard().filter(g -> !written.contains(g.predicate())).ifPresent(g -> loads.add(g.predicate()));
      op.reads().stream().filter(r -> !written.contains(r)).forEach(loads::add);
      // What a guarded operation leaves alone keeps its old value.
      if (op.guard().isPresent()) op.writes().stream().filter(r -> !written.contains(r)).forEach(loads::add);
      written.addAll(op.writes());
    }
    var stores = new LinkedHashSet<Reg>();
    for (var r : written) if (live.get(r.id)) stores.add(r);
    for (var op : ops.reversed()) Liveness.step(op, live);
    var own = new BitSet();
    for (var op : ops) op.writes().stream().filter(r -> reached.get(r.id)).forEach(r -> own.set(r.id));
    for (var r : loads) if (reached.get(r.id)) own.set(r.id);
    units.add(new Unit.Loop(ops, loads, stores, own));
  }
}
