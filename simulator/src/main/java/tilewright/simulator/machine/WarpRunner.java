package tilewright.simulator.machine;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tilewright.simulator.core.Block;
import tilewright.simulator.core.BlockCode;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.InstructionClass;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.LaneReport;
import tilewright.simulator.core.Site;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.Sanitizer;

/** Runs a warp block by block: chooses the lanes to run, splits them at branches, and joins them where they meet. */
final class WarpRunner {
  /**
   * After so many blocks the lanes that others wait for may be waiting for them: let the others go first for a while.
   */
  private static final int PATIENCE = 2048;
  /** Blocks after which a step ends, for limits to be looked at. */
  private static final int LONGEST_STEP = 1 << 16;

  /** Blocks after which a warp is not expected to come back to where it was. */
  private static final int LONGEST_REPEAT = 1 << 12;
  /** Cycles between dependent instructions of a warp, from Volta on; a kernel that waits by the clock counts them. */
  private static final int CYCLES = 4;
  private static final Pattern PASSIVE = Pattern.compile("\\b(fence|membar|nanosleep|test_wait|try_wait)\\b");

  private final RunningCta cta;
  private final BlockCode code;
  private final Block[] blocks;
  private long executed;

  WarpRunner(RunningCta cta) {
    this.cta = cta;
    code = cta.kernel.code();
    blocks = cta.kernel.blocks().toArray(Block[]::new);
  }

  long takeExecuted() {
    long n = executed;
    executed = 0;
    return n;
  }

  void run(Warp w, int steps) {
    if (cta.recorder != null) cta.recorder.runs(w);
    turn(w, steps);
    if (cta.recorder != null && !w.runnable()) cta.recorder.stops(w);
  }

  private void turn(Warp w, int steps) {
    while (steps-- > 0 && !w.groups.isEmpty()) {
      var group = choose(w);
      if (group == null) return;
      run(w, group);
    }
  }

  /** Runs a warp, which can go on, to the next point where it synchronises with others, or for long. */
  void step(Warp w) {
    for (int steps = 0; steps < LONGEST_STEP && !w.groups.isEmpty(); steps++) {
      var group = choose(w);
      if (group == null || steps > 0 && blocks[group.block].synchronises()) return;
      run(w, group);
    }
  }

  /**
   * Runs a warp until it is where it was before, with the same registers, whichever of its lanes go first.
   *
   * @return the instructions on the way; empty if the warp does not come back, or synchronises on the way
   */
  Optional<BitSet> repeat(Warp w) {
    var sites = new BitSet();
    long running = w.groups.stream().filter(g -> g.state == LaneGroup.State.RUNNING).count();
    for (int turn = 0; turn < Math.min(running, 2); turn++) {
      if (!repeat(w, sites)) return Optional.empty();
      WarpRunner.yield(w);
    }
    boolean harmless = sites.stream().mapToObj(cta.kernel.sites()::get).noneMatch(WarpRunner::mayWakeOthers);
    return harmless ? Optional.of(sites) : Optional.empty();
  }

  private boolean repeat(Warp w, BitSet sites) {
    long reference = w.fingerprint();
    int place = w.groups.getFirst().block;
    var way = new BitSet();
    for (int steps = 1; steps <= LONGEST_REPEAT; steps++) {
      var group = choose(w);
      if (group == null) return false;
      for (int site : blocks[group.block].sites()) way.set(site);
      run(w, group);
      if (w.groups.isEmpty()) return false;
      boolean here = w.groups.getFirst().block == place;
      if (here && w.fingerprint() == reference) {
        sites.or(way);
        return true;
      }
      // Brent's cycle detection: the way to the loop may be long, so the reference moves on.
      if (Integer.bitCount(steps) > 1) continue;
      reference = w.fingerprint();
      place = w.groups.getFirst().block;
      way.clear();
    }
    return false;
  }

  /** Whether an instruction may end waits of other warps. */
  private static boolean mayWakeOthers(Site site) {
    return site.kind() == InstructionClass.ASYNC_COPY || site.kind() == InstructionClass.SYNCHRONISE
        && !PASSIVE.matcher(site.text()).find();
  }

  /** Lets the lanes that were behind go first for a while. */
  static void yield(Warp w) {
    w.diverged += PATIENCE;
  }

  private void run(Warp w, LaneGroup group) {
    var block = blocks[group.block];
    if (block.converge() != Block.Converge.NONE && !converged(w, group, block)) return;
    w.current = group;
    w.clock += (long) CYCLES * block.instructions();
    if (cta.executions != null) count(group, block);
    executed += (long) block.instructions() * Integer.bitCount(group.mask);
    leave(w, group, block, code.execute(group.block, w, group.mask));
  }

  private void count(LaneGroup group, Block block) {
    cta.executions.executed(group.block, group.mask);
    if (cta.recorder != null) cta.recorder.executed(block.instructions());
  }

  private static LaneGroup choose(Warp w) {
    List<LaneGroup> groups = w.groups;
    if (groups.size() == 1) return groups.getFirst().state == LaneGroup.State.RUNNING ? groups.getFirst() : null;
    LaneGroup lowest = null;
    LaneGroup highest = null;
    for (var g : groups) {
      if (g.state != LaneGroup.State.RUNNING) continue;
      if (lowest == null || g.block < lowest.block) lowest = g;
      if (highest == null || g.block > highest.block) highest = g;
    }
    return w.diverged++ / PATIENCE % 2 == 0 ? lowest : highest;
  }

  /** Whether all lanes that the block's first instruction names are in the group; if not, it is parked. */
  private boolean converged(Warp w, LaneGroup group, Block block) {
    var converge = block.converge();
    int named = named(w, group, converge);
    if (converge.slot() >= 0) keepThoseWhoName(w, group, converge, named);
    if (cta.state.sanitize) checkMembers(w, group, block, named);
    int missing = named & w.live & ~group.mask;
    if (missing != 0) {
      for (int i = w.groups.size() - 1; i >= 0; i--) {
        var other = w.groups.get(i);
        if (other == group || other.block != group.block || other.state != LaneGroup.State.PARKED) continue;
        if (named(w, other, converge) != named) continue;
        group.mask |= other.mask;
        w.groups.remove(i);
      }
      missing = named & w.live & ~group.mask;
    }
    if (missing == 0) return true;
    group.state = LaneGroup.State.PARKED;
    group.site = block.site();
    return false;
  }

  private static int named(Warp w, LaneGroup group, Block.Converge converge) {
    return converge.slot() < 0 ? converge.mask() : w.i[converge.slot()][Integer.numberOfTrailingZeros(group.mask)];
  }

  /** Lanes that name other lanes execute the instruction by themselves. */
  private static void keepThoseWhoName(Warp w, LaneGroup group, Block.Converge converge, int named) {
    int others = 0;
    for (int rest = group.mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (w.i[converge.slot()][lane] != named) others |= 1 << lane;
    }
    if (others == 0) return;
    group.mask &= ~others;
    w.groups.add(new LaneGroup(others, group.block));
  }

  private static void checkMembers(Warp w, LaneGroup group, Block block, int named) {
    int outside = group.mask & ~named;
    if (outside != 0) LaneReport.notMember(w, Integer.numberOfTrailingZeros(outside), named, block.site());
  }

  private void leave(Warp w, LaneGroup group, Block block, int result) {
    switch (block.end()) {
      case NEXT -> moveTo(w, group, block.next());
      case BRANCH -> {
        int taken = result & group.mask;
        if (taken == group.mask) {
          moveTo(w, group, block.taken());
        } else if (taken == 0) {
          moveTo(w, group, block.next());
        } else {
          var other = new LaneGroup(taken, group.block);
          group.mask &= ~taken;
          w.groups.add(other);
          moveTo(w, group, block.next());
          moveTo(w, other, block.taken());
        }
      }
      case INDEXED -> scatter(w, group, block);
      case SUSPEND -> {
        // The barrier's completion may already have set it running again.
        group.block = block.next();
        if (result == 0) moveTo(w, group, block.next());
      }
      case RETRY -> {
        if (result == 0) moveTo(w, group, block.next());
      }
      case EXIT -> exit(w, group);
    }
  }

  private void scatter(Warp w, LaneGroup group, Block block) {
    int rest = group.mask;
    int[] index = w.i[block.index()];
    while (rest != 0) {
      int chosen = index[Integer.numberOfTrailingZeros(rest)];
      int same = 0;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        if ((rest >>> lane & 1) != 0 && index[lane] == chosen) same |= 1 << lane;
      }
      rest &= ~same;
      if (chosen < 0 || chosen >= block.targets().length) throw badIndex(w, block, same, chosen);
      LaneGroup part = group;
      if (rest != 0) {
        part = new LaneGroup(same, group.block);
        w.groups.add(part);
      } else {
        group.mask = same;
      }
      moveTo(w, part, block.targets()[chosen]);
    }
  }

  private static Fault badIndex(Warp w, Block block, int lanes, int chosen) {
    int lane = Integer.numberOfTrailingZeros(lanes);
    return new Fault(tilewright.simulator.Finding.Kind.INVALID_OPERATION, block.site(), lane, chosen,
        w.who(lane) + " branches to entry " + chosen + " of a table of " + block.targets().length);
  }

  private static void moveTo(Warp w, LaneGroup group, int target) {
    group.block = target;
    if (w.groups.size() == 1) return;
    for (var other : w.groups) {
      if (other == group || other.block != target || other.state != LaneGroup.State.RUNNING) continue;
      // At the start of a block nothing tells two groups apart.
      other.mask |= group.mask;
      w.groups.remove(group);
      w.diverged = 0;
      return;
    }
  }

  private void exit(Warp w, LaneGroup group) {
    cta.copies(w).finish(group.mask);
    w.live &= ~group.mask;
    if (cta.state.sanitize) Sanitizer.of(cta).visits().exit(w, group.mask);
    w.groups.remove(group);
    if (w.finished()) {
      cta.state.trace.ifPresent(t -> t.uses(SyncObject.life(cta), SyncTrace.Use.ARRIVE, 0, cta.finished()));
    }
    // Fewer threads are left to wait for.
    for (var g : w.groups) if (g.state == LaneGroup.State.PARKED) g.state = LaneGroup.State.RUNNING;
    cta.barriers().exited();
    cta.cluster.progress();
    cta.clusterBarrier().exited(w);
  }
}
