package tilewright.simulator.core;

/** Addresses in the shared memory of a cluster's CTAs (PTX ISA, mapa and getctarank). */
public final class ClusterAddresses {
  /** No cluster is that large, so an access there is an error. */
  private static final int NOBODY = 0xFF;

  private ClusterAddresses() {}

  /** The address in the shared memory of another rank that corresponds to one in the shared window. */
  public static long map(long address, int rank) {
    boolean possible = address >>> AddressSpace.RANK_BITS < NOBODY && rank >= 0 && rank < NOBODY;
    return (long) (possible ? rank : NOBODY) << AddressSpace.RANK_BITS | address & AddressSpace.IN_CTA;
  }

  /** Like {@link #map}, for generic addresses. */
  public static long mapGeneric(long address, int rank) {
    // Compilers compute addresses that nobody uses, so what points elsewhere is no error before it is used.
    return AddressSpace.SHARED_WINDOW
        + map(address & AddressSpace.OFFSETS, AddressSpace.isShared(address) ? rank : NOBODY);
  }

  /** The rank of the CTA in whose shared memory an address lies. */
  public static int rank(long address) {
    return (int) ((address & AddressSpace.OFFSETS) >>> AddressSpace.RANK_BITS);
  }
}
