package tilewright.simulator.core;

/**
 * The name of something by which threads synchronise. It is the same in every run of a launch.
 *
 * @param cluster the number of the cluster it belongs to; 0 for global memory
 * @param rank of the CTA in the cluster; 0 where it belongs to none
 * @param place its offset, number or address
 */
public record SyncObject(Kind kind, long cluster, int rank, long place) {
  /** The kinds of objects. */
  public enum Kind {
    BARRIER, CLUSTER_BARRIER, MBARRIER,
    /** The start of a CTA, and its end: each is one phase. */
    START, LIFE,
    /** The wgmma of a warpgroup, which its warps join, and the groups of a thread's bulk copies. */
    WARPGROUP, COPY_GROUPS,
    SHARED_WORD, GLOBAL_WORD, TENSOR_MEMORY;

    /** Whether it has phases, in which its users arrive. */
    public boolean hasPhases() {
      return compareTo(COPY_GROUPS) <= 0;
    }

    /** Whether its phases are known by number, so that nobody arrives in another phase than intended. */
    public boolean isNumbered() {
      return this == WARPGROUP || this == COPY_GROUPS;
    }
  }

  public static SyncObject barrier(Cta cta, int id) {
    return new SyncObject(Kind.BARRIER, cta.cluster.number, cta.rank, id);
  }

  public static SyncObject clusterBarrier(Cluster cluster) {
    return new SyncObject(Kind.CLUSTER_BARRIER, cluster.number, 0, 0);
  }

  public static SyncObject mbarrier(Cta cta, int offset) {
    return new SyncObject(Kind.MBARRIER, cta.cluster.number, cta.rank, offset);
  }

  public static SyncObject warpgroup(Cta cta, int first) {
    return new SyncObject(Kind.WARPGROUP, cta.cluster.number, cta.rank, first);
  }

  public static SyncObject start(Cta cta) {
    return new SyncObject(Kind.START, cta.cluster.number, cta.rank, 0);
  }

  public static SyncObject life(Cta cta) {
    return new SyncObject(Kind.LIFE, cta.cluster.number, cta.rank, 0);
  }

  public static SyncObject copyGroups(Warp w, int lane) {
    return new SyncObject(Kind.COPY_GROUPS, w.cta.cluster.number, w.cta.rank, w.index * Warp.LANES + lane);
  }

  public static SyncObject sharedWord(Cta cta, int offset) {
    return new SyncObject(Kind.SHARED_WORD, cta.cluster.number, cta.rank, offset / Integer.BYTES);
  }

  public static SyncObject globalWord(long address) {
    return new SyncObject(Kind.GLOBAL_WORD, 0, 0, address / Integer.BYTES);
  }

  public static SyncObject tensorMemory(Cta cta) {
    return new SyncObject(Kind.TENSOR_MEMORY, cta.cluster.number, cta.rank, 0);
  }
}
