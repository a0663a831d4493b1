package tilewright.simulator.sync;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import tilewright.ptx.Function;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.Warp;

/**
 * The registers of a CTA as {@code setmaxnreg} (PTX ISA) hands them from warpgroup to warpgroup: a decrease gives
 * registers to the CTA's pool, an increase waits until the pool has as many. The values of registers are not affected.
 */
public final class RegisterPool {
  private static final int PER_SM = 1 << 16;
  private static final int GRANULE = 8;
  private static final int MOST = 256;
  private static final int WARPGROUP = 4;

  private final Cta cta;
  private int free;
  /** By warp, registers per thread, how many of these instructions it has executed, and what the last one asked for. */
  private final int[] held;
  private final int[] executed;
  private final int[] asked;

  public RegisterPool(Cta cta) {
    this.cta = cta;
    held = new int[cta.warps.length];
    executed = new int[cta.warps.length];
    asked = new int[cta.warps.length];
  }

  /**
   * Registers that a kernel's threads have at first, as far as its directives tell: those of {@code .maxnreg}, or what
   * is left to each when as many CTAs are on an SM as {@code .minnctapersm} says. Without these directives ptxas says
   * that it cannot tell the number, and ignores {@code setmaxnreg}.
   */
  public static OptionalInt initial(Function kernel) {
    var given = kernel.directive("maxnreg");
    if (given.isPresent()) return OptionalInt.of(given.get().getFirst().intValue());
    var threads = kernel.directive("reqntid").or(() -> kernel.directive("maxntid"));
    var ctas = kernel.directive("minnctapersm").map(List::getFirst);
    if (threads.isEmpty() || ctas.isEmpty()) return OptionalInt.empty();
    long total = threads.get().stream().mapToLong(Long::longValue).reduce(Math.max(1, ctas.get()), (a, b) -> a * b);
    return OptionalInt.of((int) Math.min(MOST, PER_SM / Math.max(1, total) / GRANULE * GRANULE));
  }

  public void reset() {
    free = 0;
    Arrays.fill(held, cta.kernel.registers().declared().orElse(0));
    Arrays.fill(executed, 0);
    Arrays.fill(asked, 0);
  }

  /** {@code setmaxnreg}: returns whether the warp must wait for registers. */
  public static int set(Warp w, int mask, int registers, int increase, int site) {
    return SyncUnits.of(w.cta).registers().set(w, registers, increase != 0, site) ? 0 : 1;
  }

  private boolean set(Warp w, int registers, boolean increase, int site) {
    if (cta.kernel.registers().declared().isEmpty()) return true;
    int i = w.index;
    // Warps that give back different numbers are not stopped: CUTLASS's Blackwell attention does that.
    if (increase) requireSame(w, registers, site);
    // What a decrease cannot decrease, and an increase cannot increase, stays as it is.
    if (increase ? registers > held[i] : registers < held[i]) {
      int change = (registers - held[i]) * Warp.LANES;
      if (change > free) {
        w.current.state = LaneGroup.State.AT_REGISTER_POOL;
        w.current.site = site;
        return false;
      }
      free -= change;
      held[i] = registers;
      if (change < 0) for (var other : cta.warps) other.resume(LaneGroup.State.AT_REGISTER_POOL);
    }
    executed[i]++;
    asked[i] = registers;
    return true;
  }

  private void requireSame(Warp w, int registers, int site) {
    int first = w.index / WARPGROUP * WARPGROUP;
    for (int other = first; other < Math.min(first + WARPGROUP, held.length); other++) {
      if (executed[other] != executed[w.index] + 1 || asked[other] == registers) continue;
      throw new Fault(Kind.INVALID_OPERATION, site, 0, registers, w.who(0) + " asks for " + registers
          + " registers a thread where warp " + other + " of its warpgroup asked for " + asked[other]
          + ": all warps of a warpgroup must execute the same setmaxnreg");
    }
  }

  public String describe(int warp) {
    return "the block's register pool has " + free + " registers, warp " + warp + " has " + held[warp]
        + " a thread; all warps have " + Arrays.toString(held);
  }
}
