package tilewright.simulator;

import java.util.Comparator;
import java.util.List;
import tilewright.ptx.Multiprocessor;

/**
 * How many CTAs of a kernel fit on an SM, by the registers live in the PTX: an assembler may need a few more.
 *
 * @param target compute capability times ten
 * @param registers 32-bit registers live at once, at most
 * @param sharedBytes static and dynamic, a CTA
 * @param threads per CTA
 * @param ctas CTAs on an SM
 * @param warps warps on an SM
 * @param mostWarps that the SM could hold
 * @param limit what allows no more: {@code registers}, {@code shared memory}, {@code threads} or {@code CTAs}
 */
public record Occupancy(int target, int registers, int sharedBytes, int threads, int ctas, int warps, int mostWarps,
    String limit) {
  private static final int LANES = 32;
  private static final int REGISTERS = 65536;
  private static final int MOST_REGISTERS = 255;
  private static final int REGISTERS_AT_ONCE = 256;
  private static final int SHARED_AT_ONCE = 128;

  private record Limit(String name, int ctas) {}

  /** The occupancy of a kernel on its target's SM. */
  public static Occupancy of(int target, int registers, int sharedBytes, int threads) {
    var sm = Multiprocessor.of(target);
    int warps = (threads + LANES - 1) / LANES;
    int byWarp = roundUp(Math.min(registers, MOST_REGISTERS) * LANES, REGISTERS_AT_ONCE);
    int shared = roundUp(sharedBytes + Multiprocessor.RESERVED_BYTES, SHARED_AT_ONCE);
    var least = List.of(new Limit("registers", REGISTERS / Math.max(1, byWarp) / warps),
        new Limit("shared memory", sm.sharedBytes() / shared), new Limit("threads", sm.warps() / warps),
        new Limit("CTAs", sm.ctas())).stream().min(Comparator.comparingInt(Limit::ctas)).orElseThrow();
    return new Occupancy(target, registers, sharedBytes, threads, least.ctas(), least.ctas() * warps, sm.warps(),
        least.name());
  }

  private static int roundUp(int value, int multiple) {
    return (value + multiple - 1) / multiple * multiple;
  }
}
