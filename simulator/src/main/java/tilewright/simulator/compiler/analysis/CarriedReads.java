package tilewright.simulator.compiler.analysis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import tilewright.simulator.compiler.code.BasicBlock;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.core.InstructionClass;
import tilewright.simulator.core.Site;
import tilewright.simulator.memory.Lanes;
import tilewright.simulator.sync.Probes;

/**
 * Finds the loads whose values may go, through registers, into an exchange among the lanes of a warp, and makes watched
 * code tell of these exchanges. The order of instructions does not matter here: what is found is enough in every order.
 */
public final class CarriedReads {
  private static final Set<InstructionClass> LOADS = Set.of(InstructionClass.SHARED, InstructionClass.GLOBAL,
      InstructionClass.GENERIC, InstructionClass.LOCAL, InstructionClass.ATOMIC);
  private static final Set<String> EXCHANGES =
      Set.of("shuffle", "vote", "ballot", "reduce", "extremum", "matchAny", "matchAll");

  private final List<Site> sites;
  /** By instruction, the registers that its steps read and write, by number. */
  private final TreeMap<Integer, BitSet> reads = new TreeMap<>();
  private final TreeMap<Integer, BitSet> writes = new TreeMap<>();

  private CarriedReads(List<BasicBlock> blocks, List<Site> sites) {
    this.sites = sites;
    for (var block : blocks) {
      for (var op : block.ops) {
        // What a tensor core makes of its operands is not followed.
        if (sites.get(op.site()).kind() == InstructionClass.TENSOR) continue;
        op.reads().forEach(r -> reads.computeIfAbsent(op.site(), _ -> new BitSet()).set(r.id));
        op.writes().forEach(r -> writes.computeIfAbsent(op.site(), _ -> new BitSet()).set(r.id));
      }
    }
  }

  /** Marks the sites of such loads, and puts a probe before each exchange of what was loaded. */
  public static void mark(List<BasicBlock> blocks, List<Site> sites) {
    var exchanges = new BitSet();
    for (var block : blocks) block.ops.stream().filter(CarriedReads::exchanges).forEach(op -> exchanges.set(op.site()));
    if (exchanges.isEmpty()) return;
    var flow = new CarriedReads(blocks, sites);
    var loaded = flow.loaded();
    var carrying = new BitSet();
    exchanges.stream().filter(site -> flow.intersects(flow.reads, site, loaded)).forEach(carrying::set);
    for (int site : flow.sources(carrying).stream().toArray()) sites.set(site, sites.get(site).asCarried());
    for (var block : blocks) tell(block, carrying);
  }

  private static boolean exchanges(Op op) {
    return op instanceof Op.Warp w && w.owner() == Lanes.class && EXCHANGES.contains(w.method());
  }

  private static void tell(BasicBlock block, BitSet carrying) {
    var ops = new ArrayList<Op>();
    for (var op : block.ops) {
      if (exchanges(op) && carrying.get(op.site())) {
        ops.add(new Op.Warp(Optional.empty(), Probes.class, "exchange", List.of(), new Op.Result.Nothing(), List.of(),
            List.of(), op.site()));
      }
      ops.add(op);
    }
    block.ops.clear();
    block.ops.addAll(ops);
  }

  private boolean intersects(Map<Integer, BitSet> of, int site, BitSet registers) {
    return of.containsKey(site) && of.get(site).intersects(registers);
  }

  private boolean isLoad(int site) {
    return LOADS.contains(sites.get(site).kind());
  }

  /** Registers that depend on some load. */
  private BitSet loaded() {
    var loaded = new BitSet();
    int before = -1;
    while (before != loaded.cardinality()) {
      before = loaded.cardinality();
      writes.forEach((site, results) -> {
        if (isLoad(site) || intersects(reads, site, loaded)) loaded.or(results);
      });
    }
    return loaded;
  }

  /** The loads that what some instructions read depends on. */
  private BitSet sources(BitSet instructions) {
    var needed = new BitSet();
    var found = new BitSet();
    instructions.stream().forEach(site -> needed.or(reads.get(site)));
    int before = -1;
    while (before != needed.cardinality()) {
      before = needed.cardinality();
      writes.descendingMap().forEach((site, results) -> {
        if (!results.intersects(needed)) return;
        if (isLoad(site)) found.set(site);
        if (reads.containsKey(site)) needed.or(reads.get(site));
      });
    }
    return found;
  }
}
