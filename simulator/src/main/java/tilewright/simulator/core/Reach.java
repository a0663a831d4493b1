package tilewright.simulator.core;

/** How far apart the threads of two racing accesses are: what a barrier that orders them has to join. */
public enum Reach {
  /** Nothing that a barrier has to do with. */
  NONE,
  /** Lanes of one warp. */
  WARP,
  /** Threads of one CTA. */
  CTA,
  /** Threads of several CTAs, which no barrier of the CTA orders. */
  BEYOND;

  private static final String FLAG = "; a flag hands over only if it is released (st.release, __threadfence()) and "
      + "acquired (ld.acquire)";

  /** The advice to put a barrier between two instructions, in the words of the language of the source. */
  String advice(Site first, Site second) {
    var between = first.place().equals(second.place()) ? "the two accesses of " + first.place()
        : first.place() + " and " + second.place();
    boolean java = first.isJava();
    return this == WARP
        ? "put " + (java ? "k.warpBarrier()" : "__syncwarp() (bar.warp.sync)") + " between " + between
            + ", or let one lane do both"
        : "put " + (java ? "k.barrier()" : "__syncthreads() (bar.sync)") + " between " + between + (java ? "" : FLAG);
  }
}
