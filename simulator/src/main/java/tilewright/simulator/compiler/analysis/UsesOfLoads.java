package tilewright.simulator.compiler.analysis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.simulator.compiler.code.BasicBlock;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.core.CallStack;
import tilewright.simulator.core.UnwrittenValues;
import tilewright.simulator.memory.Moves;
import tilewright.simulator.sync.Probes;
import tilewright.simulator.wgmma.Wgmma;

/**
 * Makes watched code tell where values that come from loads decide something or leave the registers: see
 * {@link UnwrittenValues}. What becomes of them in between is up to {@code FlowCode}.
 */
public final class UsesOfLoads {
  /** Calls that take registers along, but not their values as operands. */
  private static final Set<Class<?>> BYSTANDERS = Set.of(Probes.class, UnwrittenValues.class, CallStack.class);
  private static final String STORE = "store";

  private final BitSet reached = new BitSet();

  private UsesOfLoads(List<BasicBlock> blocks) {
    int before = -1;
    while (before != reached.cardinality()) {
      before = reached.cardinality();
      for (var block : blocks) block.ops.forEach(this::follow);
    }
  }

  /** Returns the numbers of the registers that may hold what comes from a load. */
  public static BitSet insert(List<BasicBlock> blocks) {
    var uses = new UsesOfLoads(blocks);
    for (var block : blocks) uses.insert(block);
    return uses.reached;
  }

  private static boolean fills(Op op) {
    return op instanceof Op.Warp w && w.owner() == UnwrittenValues.class && w.method().startsWith("filled");
  }

  private static int filled(Op op) {
    return ((Op.Argument.IntValue) ((Op.Warp) op).arguments().getFirst()).value();
  }

  private void follow(Op op) {
    if (fills(op)) reached.set(filled(op));
    if (!(op instanceof Op.Lane)) return;
    boolean depends = op.reads().stream().anyMatch(this::isReached) || op.guard().filter(this::isReached).isPresent();
    if (depends) op.writes().forEach(r -> reached.set(r.id));
  }

  private boolean isReached(Reg r) {
    return reached.get(r.id);
  }

  private boolean isReached(Op.Guard guard) {
    return isReached(guard.predicate());
  }

  private void insert(BasicBlock block) {
    var ops = new ArrayList<Op>();
    var told = new HashSet<Integer>();
    for (int k = 0; k < block.ops.size(); k++) {
      var op = block.ops.get(k);
      if (op instanceof Op.Warp w && !isBystander(w)) {
        var next = k + 1 < block.ops.size() ? Optional.of(block.ops.get(k + 1)) : Optional.<Op>empty();
        tell(w, next, told, ops);
      }
      op.writes().forEach(r -> told.remove(r.id));
      ops.add(op);
    }
    int end = block.sites.isEmpty() ? block.site : block.sites.getLast();
    for (var r : block.terminator.reads()) {
      if (isReached(r)) ops.add(probe(Optional.empty(), "decides", end, r.id, end));
    }
    block.ops.clear();
    block.ops.addAll(ops);
  }

  private static boolean isBystander(Op.Warp op) {
    return BYSTANDERS.contains(op.owner()) || op.owner() == Wgmma.class && op.method().equals("touch");
  }

  private void tell(Op.Warp op, Optional<Op> next, Set<Integer> told, List<Op> ops) {
    op.guard().filter(this::isReached).map(g -> g.predicate().id).filter(told::add)
        .ifPresent(r -> ops.add(probe(Optional.empty(), "decides", op.site(), r, op.site())));
    int width = op.owner() == Moves.class && op.method().startsWith(STORE)
        ? Integer.parseInt(op.method().substring(STORE.length())) : Long.SIZE;
    for (var r : op.reads()) {
      if (!isReached(r) || told.contains(r.id)) continue;
      if (op.guard().isEmpty() && width == Long.SIZE) told.add(r.id);
      ops.add(probe(op.guard(), "used", op.site(), r.id, width, op.site()));
    }
    for (var r : op.writes()) {
      boolean follows = next.filter(n -> fills(n) && filled(n) == r.id).isPresent();
      if (isReached(r) && !follows) ops.add(probe(op.guard(), "defined", op.site(), r.id));
    }
  }

  private static Op probe(Optional<Op.Guard> guard, String method, int site, int... numbers) {
    var arguments = new ArrayList<Op.Argument>();
    for (int number : numbers) arguments.add(new Op.Argument.IntValue(number));
    return new Op.Warp(guard, UnwrittenValues.class, method, arguments, new Op.Result.Nothing(), List.of(),
        List.of(), site);
  }
}
