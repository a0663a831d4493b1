package tilewright.simulator.sanitizer;

import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.Warp;

/**
 * The accesses that grids before a launch in its stream may still make to a buffer while it runs. They count as one CTA
 * that accesses every byte, and {@code griddepcontrol.wait} as what orders that before the thread that executes it: it
 * returns when they are over and what they wrote is visible to this grid (PTX ISA, griddepcontrol). That is handed on
 * by barriers, mbarriers and flags, as all that threads know.
 */
public enum EarlierGrids {
  /** Nothing: they are over when the launch begins, or nothing that they do concerns it. */
  ABSENT,
  /** They may read it: so may this one, but not write it. */
  READING,
  /** They may read and write it. */
  WRITING;

  private static final long ACCESS =
      Epoch.of(Epoch.base(Epoch.EARLIER_GRIDS, 0, 1, MemoryOrder.Scope.NONE), 0, 0xF);

  /** Their accesses to a buffer of a launch. */
  public static EarlierGrids of(Launch launch, String buffer) {
    if (!launch.features().contains(LaunchFeature.PROGRAMMATIC)) return ABSENT;
    return launch.ahead().contains(buffer) ? READING : WRITING;
  }

  /** Their accesses to a variable of the module, which they may share. */
  public static EarlierGrids of(Launch launch, Kernel.ModuleVariable variable) {
    return variable.constant() ? ABSENT : of(launch, variable.name());
  }

  /** Reports an access to the buffer at an address, unless it comes behind what they do to it. */
  void check(Sanitizer sanitizer, Warp w, int lane, long address, int access, int site) {
    if (this == ABSENT || this == READING && access == Access.READ) return;
    var causality = sanitizer.causality();
    boolean ordered = this == READING ? causality.knowsRead(w, lane, ACCESS) : causality.knows(w, lane, ACCESS);
    if (!ordered) sanitizer.report().beforeEarlierGrids(w, lane, address, site, access, this == WRITING);
  }
}
