package tilewright.simulator.core;

import tilewright.simulator.Profile.BarrierUse;

/** Looks on while a CTA runs: for the sanitizer, the counters of the profile, or both. */
public interface Watch {
  /** An access to shared memory at {@link Warp#offsets}. */
  void shared(Warp w, int mask, int bytes, int access, int site);

  /** An access to the shared memory of other CTAs of the cluster, {@link Warp#owners}, at {@link Warp#offsets}. */
  void foreign(Warp w, int mask, int bytes, int access, int site);

  /** An access to one buffer of global memory at {@link Warp#offsets}. */
  void global(Warp w, int mask, long window, int bytes, int access, int site);

  void local(Warp w, int mask, int bytes, int access, int site);

  /** A lane copies within its local memory. */
  void copyLocal(Warp w, int lane, int from, int to, int bytes);

  /**
   * A {@code cp.async} of so many bytes per lane to places in shared memory.
   *
   * @param full lanes that copy all of them; the others fill with zeros, at least in part
   */
  void copy(Warp w, int mask, int full, long[] from, int[] to, int bytes, int site);

  /** A bulk copy of so many bytes to so many places in shared memory. */
  void bulkLoad(int bytes, int receivers, int site);

  /** A bulk copy from shared to global memory. */
  void bulkStore(int bytes, int site);

  /** A register is used whose value a load found in memory that nobody had written. */
  void undefinedUse(Warp w, int lane, UnwrittenValues.Origin from, int site, String verb);

  /** A warp arrives at an mbarrier of a CTA, or has waited for it. */
  void barrier(Cta owner, int offset, BarrierUse.Kind kind, Warp by);

  /** A warp uses columns of a CTA's Tensor Memory, or has tensor cores use them. */
  void tensorMemory(Cta owner, int first, int count, String what, Warp by);
}
