package tilewright.simulator.core;

/** What looks on while a CTA runs: the sanitizer, the counters of the profile, or both. */
final class Watch {
  /** Null when the launch is only profiled. */
  private final Sanitizer sanitizer;
  private final TrafficCounter traffic;

  Watch(Sanitizer sanitizer, TrafficCounter traffic) {
    this.sanitizer = sanitizer;
    this.traffic = traffic;
  }

  /** An access to shared memory at {@link Warp#offsets}. */
  void shared(Warp w, int mask, int bytes, int access, int site) {
    if (access == Access.PLACE) return;
    traffic.shared(w.offsets, mask, bytes, access, site);
    if (sanitizer != null) sanitizer.shared(w, mask, bytes, access, site);
  }

  /** An access to the shared memory of other CTAs of the cluster, {@link Warp#owners}, at {@link Warp#offsets}. */
  void foreign(Warp w, int mask, int bytes, int access, int site) {
    if (access != Access.PLACE && sanitizer != null) sanitizer.foreign(w, mask, bytes, access, site);
  }

  /** An access to one buffer of global memory at {@link Warp#offsets}. */
  void global(Warp w, int mask, long window, int bytes, int access, int site) {
    if (access == Access.PLACE) return;
    traffic.global(w.offsets, mask, bytes, access, site);
    if (sanitizer != null) sanitizer.global(w, mask, window, w.offsets, bytes, access, site);
  }

  /** A bulk copy of so many bytes to so many places in shared memory. */
  void bulkLoad(int bytes, int receivers, int site) {
    traffic.bulkLoad(bytes, receivers, site);
  }

  /** A bulk copy from shared to global memory. */
  void bulkStore(int bytes, int site) {
    traffic.bulkStore(bytes, site);
  }

  void local(Warp w, int mask, int bytes, int access, int site) {
    traffic.local(mask, bytes, access, site);
    if (sanitizer != null) sanitizer.local(w, mask, bytes, access, site);
  }

  /**
   * A {@code cp.async} of so many bytes a lane to places in shared memory.
   *
   * @param full lanes that copy all of them; the others fill with zeros, at least in part
   */
  void copy(Warp w, int mask, int full, long[] from, int[] to, int bytes, int site) {
    var sources = new int[Warp.LANES];
    for (int lane = 0; lane < Warp.LANES; lane++) sources[lane] = (int) (from[lane] & AddressSpace.OFFSETS);
    if (full != 0) traffic.global(sources, full, bytes, Access.READ, site);
    traffic.shared(to, mask, bytes, Access.WRITE, site);
    if (sanitizer == null) return;
    for (int rest = full; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      sanitizer.global(w, 1 << lane, from[lane] & ~AddressSpace.OFFSETS, sources, bytes, Access.READ, site);
    }
    sanitizer.async().copying(w, mask, to, bytes, site);
  }
}
