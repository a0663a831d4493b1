package tilewright.simulator.wgmma;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Findings;
import tilewright.simulator.core.Warp;

/**
 * Whether one warp leaves what its {@code wgmma} work on alone (PTX ISA, wgmma.fence and wgmma.wait_group): registers
 * may not be touched before a wait for the group, and those that were touched may not be worked on before a fence.
 * The ISA says so of D and A; a sparse A's metadata are counted among A's registers, as CUTLASS treats them.
 * Registers are known by their arrays.
 */
final class WgmmaWatch {
  private final Warp warp;
  /** Operations that were not waited for, in order. */
  private final Deque<WgmmaOperation> unawaited = new ArrayDeque<>();
  /** Registers that were read or written since the last fence, and where. */
  private final Map<Object, Integer> accessed = new IdentityHashMap<>();
  private boolean fenced;

  WgmmaWatch(Warp warp) {
    this.warp = warp;
  }

  /** Makes it new for another CTA. */
  void reset() {
    unawaited.clear();
    // Clearing an empty map is slow.
    if (!accessed.isEmpty()) accessed.clear();
    fenced = false;
  }

  void fence() {
    fenced = true;
    accessed.clear();
  }

  void issued(WgmmaOperation operation, WgmmaFragments fragments) {
    if (!fenced) {
      report(operation.site, "it is this warp's first wgmma, and no wgmma.fence came before it");
    } else if (!accessed.isEmpty()) {
      for (var register : fragments.registers()) {
        Integer site = accessed.get(register);
        if (site == null) continue;
        report(operation.site, "a register of it was used" + warp.cta.at(site) + ", and no wgmma.fence came since");
        break;
      }
    }
    unawaited.add(operation);
    operation.watch(warp);
  }

  /** All operations below that number were waited for. */
  void awaited(long number) {
    while (!unawaited.isEmpty() && unawaited.getFirst().number() < number) unawaited.removeFirst();
  }

  void touched(Object register, boolean writes, int site) {
    accessed.put(register, site);
    for (var operation : unawaited) {
      var fragments = operation.fragments(warp);
      boolean sum = fragments.isSum(register);
      boolean metadata = fragments.isMetadata(register);
      if (!sum && !(writes && (metadata || fragments.isFactor(register)))) continue;
      warp.cta.state.findings.add(new Findings.Report(Kind.REGISTER_IN_FLIGHT, site, warp.cta, warp.thread(0), 0,
          "put wgmma.commit_group and wgmma.wait_group before it"),
          () -> warp.who(0) + " and its warp " + (writes ? "write" : "read") + " a register that holds "
          + (sum ? "sums" : metadata ? "metadata" : "a factor") + " of the wgmma" + warp.cta.at(operation.site)
          + ", which they have not waited for");
      return;
    }
  }

  private void report(int site, String why) {
    warp.cta.state.findings.add(new Findings.Report(Kind.MISSING_FENCE, site, warp.cta, warp.thread(0), 0,
        "put wgmma.fence.sync.aligned before it"),
        () -> warp.who(0) + " and its warp issue a wgmma without wgmma.fence: " + why);
  }
}
