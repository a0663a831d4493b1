package tilewright.simulator.core;

/** Looks on while a schedule is explored: it is told of all by which the order of steps can matter. */
public interface SyncTrace {
  /** The ways to use an object. */
  enum Use {
    /** Arrives in a phase, or brings bytes to it; arrivals in one phase may come in any order. */
    ARRIVE,
    /** Makes a phase await more. */
    EXPECT,
    /** Passes a wait by parity, which the phase before the last would pass too. */
    WAIT,
    /** Comes to a wait that lasts. */
    BLOCK,
    /** Asks for a phase, without waiting. */
    POLL,
    /** Goes on behind a barrier that has opened. */
    RESUME,
    READ,
    /** Writes, or reads and writes in one. */
    WRITE,
    /** Adds an integer without looking. */
    ADD
  }

  /**
   * The running step uses an object.
   *
   * @param phase the number of phases that were over before; 0 for objects without any
   * @param completes whether it completes that phase
   */
  void uses(SyncObject object, Use use, long phase, boolean completes);

  /**
   * A warp that waits at a barrier goes on.
   *
   * @param phases of the barrier that are over
   */
  void wakes(Warp w, SyncObject object, long phases);

  /**
   * A warp tries to wait for a phase that is not over. Returns whether the try comes back in vain, as it may for lack
   * of time.
   */
  boolean givesUp(Warp w, int site);

  /** The running step tries to wait for a phase, over or not. */
  void tries(int site);

  /** The running step begins an operation. */
  void issues(AsyncOperation operation);
}
