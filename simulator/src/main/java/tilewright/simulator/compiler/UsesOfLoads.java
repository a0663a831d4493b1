package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import tilewright.simulator.core.CallStack;
import tilewright.simulator.core.Probes;
import tilewright.simulator.core.Site;
import tilewright.simulator.core.UnwrittenValues;
import tilewright.simulator.core.Wgmma;

/** Makes watched code tell what it does with registers that loads may reach by moves: see {@link UnwrittenValues}. */
final class UsesOfLoads {
  private static final Pattern MOVES = Pattern.compile("(@!?\\S+ )?(mov|ld|ldu|ldmatrix)\\..*");
  /** Calls that take registers along, but not their values as operands. */
  private static final Set<Class<?>> BYSTANDERS = Set.of(Probes.class, UnwrittenValues.class, CallStack.class);
  private static final int NONE = -1;

  private final List<Site> sites;
  /** Numbers of registers that may hold what a load found. */
  private final Set<Integer> loaded = new HashSet<>();

  private UsesOfLoads(List<BasicBlock> blocks, List<Site> sites) {
    this.sites = sites;
    int before = -1;
    while (before != loaded.size()) {
      before = loaded.size();
      for (var block : blocks) block.ops.forEach(this::follow);
    }
  }

  static void insert(List<BasicBlock> blocks, List<Site> sites) {
    var uses = new UsesOfLoads(blocks, sites);
    for (var block : blocks) uses.insert(block);
  }

  private static boolean isProbe(Op op, String prefix) {
    return op instanceof Op.Warp w && w.owner() == UnwrittenValues.class && w.method().startsWith(prefix);
  }

  private static int number(Op op, int argument) {
    return ((Op.Argument.IntValue) ((Op.Warp) op).arguments().get(argument)).value();
  }

  private void follow(Op op) {
    if (isProbe(op, "filled")) loaded.add(number(op, 0));
    boolean selects = isProbe(op, "selected") && (loaded.contains(number(op, 1)) || loaded.contains(number(op, 2)));
    if (selects) loaded.add(number(op, 0));
    if (moves(op) && op.reads().stream().anyMatch(r -> loaded.contains(r.id))) {
      op.writes().forEach(r -> loaded.add(r.id));
    }
  }

  private boolean moves(Op op) {
    return op instanceof Op.Lane && MOVES.matcher(sites.get(op.site()).text()).matches();
  }

  private boolean selects(Op op) {
    return op instanceof Op.Lane && sites.get(op.site()).text().contains("selp.");
  }

  private void insert(BasicBlock block) {
    var ops = new ArrayList<Op>();
    var told = new HashSet<Integer>();
    for (var op : block.ops) {
      if (isProbe(op, "selected") && !loaded.contains(number(op, 0))) continue;
      boolean bystander = op instanceof Op.Warp w && (BYSTANDERS.contains(w.owner())
          || w.owner() == Wgmma.class && w.method().equals("touch"));
      if (!bystander && !moves(op) && !selects(op)) {
        for (var r : op.reads()) {
          if (!loaded.contains(r.id) || told.contains(r.id)) continue;
          if (op.guard().isEmpty()) told.add(r.id);
          ops.add(probe(op, "used", r.id, op.site()));
        }
      }
      if (op instanceof Op.Lane && !selects(op)) {
        for (var r : op.writes()) if (loaded.contains(r.id)) ops.add(moved(op, r));
      }
      op.writes().forEach(r -> told.remove(r.id));
      ops.add(op);
    }
    block.ops.clear();
    block.ops.addAll(ops);
  }

  /** Reports that a register holds a copy, or something else where {@code op} is no move. */
  private Op moved(Op op, Reg to) {
    var from = moves(op) ? op.reads().stream().filter(r -> loaded.contains(r.id)).limit(2).toList() : List.<Reg>of();
    return probe(op, "moved", to.id, from.isEmpty() ? NONE : from.getFirst().id,
        from.size() < 2 ? NONE : from.getLast().id);
  }

  private static Op probe(Op of, String method, int... numbers) {
    var arguments = new ArrayList<Op.Argument>();
    for (int number : numbers) arguments.add(new Op.Argument.IntValue(number));
    return new Op.Warp(of.guard(), UnwrittenValues.class, method, arguments, new Op.Result.Nothing(), List.of(),
        List.of(), of.site());
  }
}
