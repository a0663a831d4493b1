package tilewright.simulator.sanitizer;

import tilewright.simulator.core.MemoryOrder;

/**
 * One access packed into 64 bits: who made it, when in the time of its warp, which bytes of the word it touched, and
 * how strong it was. Zero stands for no access.
 */
public final class Epoch {
  /** The epoch of bytes between variables: no thread may touch them. */
  static final long FORBIDDEN = -1;
  static final int LATEST = (1 << 19) - 1;
  private static final int WARP = 5;
  private static final int CTA = 10;
  private static final int CTA_MASK = (1 << 25) - 1;
  /** The grids that a programmatic launch may begin before the end of, as if they were a CTA of this one. */
  static final int EARLIER_GRIDS = CTA_MASK;
  private static final int TIME = 35;
  private static final int BYTES = 54;
  private static final int SCOPE = 58;
  private static final int SCOPE_MASK = 7;
  private static final long SEVERAL = 1L << 61;
  private static final long MIXED = 1L << 62;
  private static final long PENDING = 1L << 63;
  private static final long THREAD_MASK = (1L << TIME) - 1;
  private static final long TIME_MASK = (long) LATEST << TIME;

  private Epoch() {}

  /** The number of a CTA as far as epochs tell CTAs apart. */
  static int cta(long number) {
    return (int) number & CTA_MASK;
  }

  /** Without a lane and bytes, which {@link #of} adds. */
  static long base(int cta, int warp, int time, MemoryOrder.Scope scope) {
    return (long) scope.ordinal() << SCOPE | (long) time << TIME | (long) cta << CTA | (long) warp << WARP;
  }

  public static long of(long base, int lane, int bytes) {
    return base | lane | (long) bytes << BYTES;
  }

  public static int lane(long e) {
    return (int) e & 31;
  }

  public static int warp(long e) {
    return (int) (e >>> WARP) & 31;
  }

  static int ctaOf(long e) {
    return (int) (e >>> CTA) & CTA_MASK;
  }

  static int time(long e) {
    return (int) (e >>> TIME) & LATEST;
  }

  static int bytes(long e) {
    return (int) (e >>> BYTES) & 0xF;
  }

  static boolean touches(long e, int bytes) {
    return (e >>> BYTES & bytes) != 0;
  }

  private static boolean reaches(long e, MemoryOrder.Scope scope) {
    return (e >>> SCOPE & SCOPE_MASK) >= scope.ordinal();
  }

  static boolean strong(long e) {
    return reaches(e, MemoryOrder.Scope.CTA);
  }

  static boolean reachesCluster(long e) {
    return reaches(e, MemoryOrder.Scope.CLUSTER);
  }

  static boolean reachesGpu(long e) {
    return reaches(e, MemoryOrder.Scope.GPU);
  }

  static boolean reachesSystem(long e) {
    return reaches(e, MemoryOrder.Scope.SYS);
  }

  static boolean sameThread(long a, long b) {
    return ((a ^ b) & THREAD_MASK) == 0;
  }

  static boolean sameWarp(long a, long b) {
    return ((a ^ b) & THREAD_MASK) >>> WARP == 0;
  }

  static boolean sameCta(long a, long b) {
    return ((a ^ b) & THREAD_MASK) >>> CTA == 0;
  }

  /** Whether two accesses are by one warp between the same two of its synchronisations, and equally strong. */
  static boolean sameMoment(long a, long b) {
    return ((a ^ b) & ~(PENDING | SEVERAL | MIXED | 0xFL << BYTES | 31)) == 0;
  }

  /** Two accesses of one warp and moment as one. */
  static long merged(long old, long e) {
    long both = old | e & (SEVERAL | 0xFL << BYTES);
    if (lane(old) == lane(e)) return both;
    return both | SEVERAL | (bytes(old) == bytes(e) ? 0 : MIXED);
  }

  /** Made by lanes that touched different bytes: who touched which is not known. */
  static boolean isMixed(long e) {
    return (e & MIXED) != 0;
  }

  /** The access is made by further lanes of the warp too. */
  static long several(long e) {
    return e | SEVERAL;
  }

  static boolean isSeveral(long e) {
    return (e & SEVERAL) != 0;
  }

  /** An asynchronous operation that has not been waited for. */
  static long pending(long e) {
    return e | PENDING;
  }

  static boolean isPending(long e) {
    return e < 0;
  }

  /** An access by an asynchronous operation; {@link #time} is its number among the cluster's {@link AsyncAccesses}. */
  static long async(long cta, int warp, int lane, int number) {
    return of(base(cta(cta), warp, number, MemoryOrder.Scope.CLUSTER), lane, 0xF) | PENDING;
  }

  /**
   * The epoch of an asynchronous access to global memory, without its bytes; {@link #time} is its number among the
   * CTA's.
   */
  static long asyncGlobal(long cta, int warp, int lane, int number) {
    return of(base(cta(cta), warp, number, MemoryOrder.Scope.GPU), lane, 0) | PENDING;
  }

  /** Whether an asynchronous access is one to global memory. */
  static boolean isGlobal(long e) {
    return reachesGpu(e);
  }

  static boolean isAsync(long e) {
    return e < 0 && e != FORBIDDEN && strong(e);
  }

  /** The operation has been waited for, at that time of the thread that issued it. */
  static long settled(long e, int time) {
    return e & ~(PENDING | TIME_MASK) | (long) time << TIME;
  }
}
