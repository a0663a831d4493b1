package tilewright.simulator.core;

/** Lanes of a warp that are at the same block. A converged warp has one group. */
public final class LaneGroup {
  /** Why a group does or does not run. */
  public enum State {
    RUNNING,
    /** Waits at a synchronising instruction, until the other lanes it names come there, too. */
    PARKED,
    /** Waits at a CTA barrier. */
    AT_BARRIER,
    /** Waiting for an mbarrier's phase. */
    AT_MBARRIER,
    /** Waits at the cluster's barrier. */
    AT_CLUSTER_BARRIER,
    /** Waiting for tensor memory, or for the peer CTA to allocate or free it too. */
    AT_TENSOR_MEMORY,
    /** Waiting for registers. */
    AT_REGISTER_POOL,
    /** Waiting for groups of wgmma. */
    AT_WGMMA
  }

  public int mask;
  public int block;
  public State state = State.RUNNING;
  /** The instruction it waits at, and what for. */
  public int site;
  public int barrier;
  /** The lanes that were suspended until a phase of an mbarrier is over, and which. */
  public int suspended;
  public long phase;
  /** Its wait has taken so long that it comes back without what it waited for. */
  public boolean timedOut;

  public LaneGroup(int mask, int block) {
    this.mask = mask;
    this.block = block;
  }
}
