package tilewright.simulator.sanitizer;

import java.util.Arrays;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.Warp;

/**
 * Watches the memory accesses of one CTA: who wrote and read each word last, and when, in the vector time of its warps
 * (as FastTrack does for threads). Two accesses of different threads, one a write, race unless {@link Causality} orders
 * them or both are strong and within each other's scope.
 */
public final class Sanitizer {
  /** How long to wait for another block's write, and how often at most without success. */
  private static final int PATIENCE = 1 << 10;
  private static final int MOST_IN_VAIN = 16;

  private final Cta cta;
  private final ClusterHistory history;
  private final int warps;
  private final Causality causality;
  private final Shadow shared;
  /** Where the CTA's shared memory begins. */
  private final long window;
  private final Visits visits;
  private final byte[] local;
  private final RaceReport report;
  private final AsyncWatch async;
  private final GlobalWatch asyncGlobal;
  private final TensorMapWatch tensorMaps;
  /** Lanes whose strong read is under way, and what they read. */
  private int observing;
  private final long[] observed = new long[Warp.LANES];
  private final long[] observers = new long[Warp.LANES];
  private final Shadow[] observedShadows = new Shadow[Warp.LANES];
  private final int[] observedWords = new int[Warp.LANES];
  private int observedBytes;
  private final Observations observations = new Observations();
  /** A lane, other than the first, of those that make one access together. */
  private int alike;
  private final StoredValues stored = new StoredValues();
  private int inVain;

  public Sanitizer(Cta cta, ClusterHistory history) {
    this.cta = cta;
    this.history = history;
    warps = cta.warps.length;
    causality = new Causality(cta, history);
    shared = new Shadow((cta.sharedBytes + Shadow.WORD - 1) / Shadow.WORD, warps, cta.cluster.ctas.length > 1,
        AsyncWatch.readers(cta), false);
    window = AddressSpace.SHARED_WINDOW + ((long) cta.rank << AddressSpace.RANK_BITS);
    visits = new Visits(cta);
    local = new byte[cta.threads * cta.kernel.memory().localBytes()];
    report = new RaceReport(cta, history);
    async = new AsyncWatch(this, report);
    asyncGlobal = new GlobalWatch(this, report);
    tensorMaps = new TensorMapWatch(this, report);
  }

  /** The sanitizer of a CTA; null when the launch is not sanitized. */
  public static Sanitizer of(Cta cta) {
    return cta.watch instanceof CtaWatch watch ? watch.sanitizer() : null;
  }

  public void reset() {
    observing = 0;
    observations.reset();
    causality.reset();
    shared.clear();
    visits.reset();
    tensorMaps.reset();
    Arrays.fill(local, (byte) 0);
    forbidGaps();
  }

  /** Bytes between variables are nobody's: whoever touches them has overrun one. */
  private void forbidGaps() {
    int end = 0;
    for (var v : cta.kernel.memory().shared()) {
      int begin = v.offset() / Shadow.WORD;
      shared.forbid(end, Math.min(begin, shared.size()));
      end = v.bytes() == 0 ? shared.size() : (v.offset() + v.bytes() + Shadow.WORD - 1) / Shadow.WORD;
    }
  }

  ClusterHistory history() {
    return history;
  }

  /** The shadow of the buffer an address points into; null when it points into none. */
  GlobalShadow shadow(long address) {
    return history.launch().shadows().of(address);
  }

  /** Begins an operation of the cluster that accesses memory asynchronously. */
  public AsyncAccess begin(String fix) {
    return history.accesses().begin(fix);
  }

  public Causality causality() {
    return causality;
  }

  public AsyncWatch async() {
    return async;
  }

  public GlobalWatch asyncGlobal() {
    return asyncGlobal;
  }

  public TensorMapWatch tensorMaps() {
    return tensorMaps;
  }

  public RaceReport report() {
    return report;
  }

  Shadow shared() {
    return shared;
  }

  long window() {
    return window;
  }

  /** The clock that an operation carries to the barrier it arrives at: the knowledge of the lane that issued it. */
  public SyncClock snapshot(Warp w, int lane) {
    var clock = causality.clock();
    causality.release(w, 1 << lane, clock);
    return clock;
  }

  public StoredValues stored() {
    return stored;
  }

  /** A warp access to the places in shared memory that {@link Warp#offsets} names. */
  void shared(Warp w, int mask, int bytes, int access, int site) {
    var order = cta.kernel.sites().get(site).order();
    long base = causality.base(w, order.scope());
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      base = shared(this, w, Integer.numberOfTrailingZeros(rest), bytes, access, site, order, base);
    }
  }

  /** A warp access to places in the shared memory of other CTAs, {@link Warp#owners}. */
  void foreign(Warp w, int mask, int bytes, int access, int site) {
    var order = cta.kernel.sites().get(site).order();
    long base = causality.base(w, order.scope());
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var owner = of(w.owners[lane]);
      owner.visits.begin(w, lane, Epoch.of(base, lane, 0xF), site);
      base = shared(owner, w, lane, bytes, access, site, order, base);
    }
  }

  /** One lane's access to shared memory; returns the warp's time after it. */
  private long shared(Sanitizer owner, Warp w, int lane, int bytes, int access, int site, MemoryOrder order,
      long base) {
    int offset = w.offsets[lane];
    long now = base;
    if (order.strong()) {
      strong(w, lane, owner.window + offset, order, access, site);
      now = causality.base(w, order.scope());
    }
    long address = owner.window + (offset & -Shadow.WORD);
    long me = Epoch.of(now, lane, Shadow.touched(offset, bytes));
    if (order.strong()) observes(owner.shared, offset >> 2, lane, me, bytes);
    for (int done = 0; done < bytes; done += Shadow.WORD) {
      access(owner.shared, offset + done >> 2, address + done, w, lane, me, access, site, bytes);
    }
    return now;
  }

  public Visits visits() {
    return visits;
  }

  /** A warp access to places in one buffer of global memory. */
  void global(Warp w, int mask, long window, int[] offsets, int bytes, int access, int site) {
    var buffer = shadow(window);
    if (buffer == null) return;
    for (int rest = buffer.earlier() == EarlierGrids.ABSENT ? 0 : mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      buffer.earlier().check(this, w, lane, window + offsets[lane], access, site);
    }
    var order = cta.kernel.sites().get(site).order();
    var strength = buffer.strength(access, order.scope());
    long base = causality.base(w, strength);
    Shadow page = null;
    int number = -1;
    for (int rest = mask; rest != 0; ) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int offset = offsets[lane];
      rest &= rest - 1;
      if (order.strong()) {
        strong(w, lane, window + offset, order, access, site);
        base = causality.base(w, strength);
      }
      int touched = Shadow.touched(offset, bytes);
      long me = Epoch.of(base, lane, touched);
      if (access == Access.READ) {
        int same = order.strong() ? 0 : rest & alike(offsets, rest, lane);
        if (same != 0) {
          alike = Integer.numberOfTrailingZeros(same);
          me = Epoch.several(me);
          rest &= ~same;
        }
      }
      if (offset >>> GlobalShadow.PAGE_BITS != number) {
        number = offset >>> GlobalShadow.PAGE_BITS;
        page = buffer.page(offset);
      }
      int word = (offset & GlobalShadow.PAGE - 1) >> 2;
      long address = window + (offset & -Shadow.WORD);
      if (order.strong()) observes(page, word, lane, me, bytes);
      for (int done = 0; done < bytes; done += Shadow.WORD) {
        access(page, word + (done >> 2), address + done, w, lane, me, access, site, bytes);
      }
    }
  }

  /** Lanes behind this one that access its place: its neighbours, and the one half a warp on, as in tiles of 16. */
  private static int alike(int[] offsets, int lanes, int lane) {
    int offset = offsets[lane];
    int half = Warp.LANES / 2;
    int found = lane < half && offsets[lane + half] == offset ? 1 << lane + half : 0;
    for (int next = lane + 1; next < Warp.LANES && offsets[next] == offset && (lanes >>> next & 1) != 0; next++) {
      found |= 1 << next;
    }
    return found;
  }

  /** A lane copies within its local memory: what was unwritten stays so. */
  void copyLocal(Warp w, int lane, int from, int to, int bytes) {
    int start = (w.index * Warp.LANES + lane) * cta.kernel.memory().localBytes();
    System.arraycopy(local, start + from, local, start + to, bytes);
  }

  private void strong(Warp w, int lane, long address, MemoryOrder order, int access, int site) {
    if (access != Access.READ) causality.publish(w, lane, address, order, site);
    if (access != Access.WRITE) {
      observing |= 1 << lane;
      observed[lane] = address;
    }
  }

  /** Where the strong read that was announced looks. */
  private void observes(Shadow s, int word, int lane, long me, int bytes) {
    observers[lane] = me;
    observedShadows[lane] = s;
    observedWords[lane] = word;
    observedBytes = bytes;
  }

  /**
   * The strong read that was announced has been made. Blocks on other processors publish before they write, so what
   * this read has seen is published by now.
   */
  public void observed(Warp w, MemoryOrder order, boolean atomic) {
    for (int rest = observing; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      causality.observe(w, lane, observed[lane], order, atomic);
      // What an atomic operation has seen it has overwritten as well.
      if (!atomic) sawWrites(lane);
    }
    observing = 0;
  }

  private void sawWrites(int lane) {
    long address = observed[lane] & -Shadow.WORD;
    for (int done = 0; done < observedBytes; done += Shadow.WORD) {
      long writer = observedShadows[lane].write(observedWords[lane] + (done >> 2));
      if (writer != 0 && !Epoch.isPending(writer) && morallyStrong(observers[lane], writer)) {
        observations.add(address + done, writer, observers[lane]);
      }
    }
  }

  /** A warp access to local memory: what a thread reads it must have written. */
  void local(Warp w, int mask, int bytes, int access, int site) {
    int extent = cta.kernel.memory().localBytes();
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int at = w.index * Warp.LANES * extent + w.offsets[lane];
      for (int k = at; k < at + bytes; k++) {
        if (access == Access.READ && local[k] == 0) {
          long address = AddressSpace.LOCAL_WINDOW + w.offsets[lane] - lane * extent;
          if (w.unwritten.missing(lane, k - at, 1, address, bytes, site)) continue;
          report.uninitialised(w, lane, address, bytes, site);
          break;
        }
        local[k] = 1;
      }
    }
  }

  void access(Shadow s, int word, long address, Warp w, int lane, long me, int access, int site, int bytes) {
    switch (access) {
      case Access.READ -> read(s, word, address, w, lane, me, site, bytes);
      case Access.WRITE -> write(s, word, address, w, lane, me, site, bytes, access);
      default -> {
        checkInitialised(s, word, address, w, lane, me, site, bytes);
        write(s, word, address, w, lane, me, site, bytes, access);
      }
    }
  }

  void checkInitialised(Shadow s, int word, long address, Warp w, int lane, long me, int site, int bytes) {
    int touched = Epoch.bytes(me);
    if (s.isInitialised(word, touched)) return;
    if (s.write(word) == Epoch.FORBIDDEN) throw report.overrun(w, lane, address, bytes, site, Access.READ);
    // A word's bytes begin before those of an access that is narrower.
    int first = (int) AddressSpace.offset(address) - w.offsets[lane];
    if (w.unwritten.missing(lane, first, s.uninitialised(word, touched), address, bytes, site)) return;
    report.uninitialised(w, lane, address, bytes, site);
    s.initialise(word, touched);
  }

  private void read(Shadow s, int word, long address, Warp w, int lane, long me, int site, int bytes) {
    checkInitialised(s, word, address, w, lane, me, site, bytes);
    long writer = s.write(word);
    if (writer != 0 && Epoch.touches(writer, Epoch.bytes(me)) && !ordered(w, lane, me, writer)
        && !observations.precedes(address, writer, causality, w, lane, me)) {
      int reader = Epoch.isSeveral(me) && Epoch.sameThread(me, writer) ? alike : lane;
      report.conflict(w, reader, address, site, Access.READ, writer, s.writeSite(word), Access.WRITE);
    }
    int slot = s == shared ? w.index : s.visitor(word, me);
    long old = s.read(word, slot);
    long now = Epoch.sameMoment(old, me) && !Epoch.isPending(old) ? Epoch.merged(old, me) : me;
    if (now != old) s.read(word, slot, now, site);
  }

  void write(Shadow s, int word, long address, Warp w, int lane, long me, int site, int bytes, int access) {
    int touched = Epoch.bytes(me);
    long writer = s.write(word);
    if (writer != 0 && Epoch.touches(writer, touched) && !ordered(w, lane, me, writer)
        && !observations.precedes(address, writer, causality, w, lane, me)) {
      if (writer == Epoch.FORBIDDEN) throw report.overrun(w, lane, address, bytes, site, Access.WRITE);
      if (Epoch.isPending(writer) || !storesTheSame(w, lane, address, touched, site, writer)) {
        report.conflict(w, lane, address, site, access, writer, s.writeSite(word), Access.WRITE);
      }
    }
    for (int slot = 0; slot < s.readers; slot++) {
      long reader = s.read(word, slot);
      if (reader != 0 && Epoch.touches(reader, touched) && !ordered(w, lane, me, reader)
          && (Epoch.isPending(reader) || !causality.knowsRead(w, lane, reader)
          && !wasCarried(w, lane, reader, s.readSite(word, slot)))) {
        report.conflict(w, lane, address, site, access, reader, s.readSite(word, slot), Access.READ);
      }
    }
    s.write(word, Epoch.sameMoment(writer, me) && !Epoch.isPending(writer) ? Epoch.merged(writer, me) : me, site);
    s.initialise(word, touched);
  }

  /** A block that runs on another processor announces a write before it makes it: it may be about to write the same. */
  private boolean storesTheSame(Warp w, int lane, long address, int touched, int site, long writer) {
    boolean same = stored.same(w, lane, address, touched, site);
    if (same || history.made(writer) || inVain == MOST_IN_VAIN) return same;
    for (int k = 0; k < PATIENCE; k++) {
      Thread.yield();
      if (stored.same(w, lane, address, touched, site)) return true;
    }
    inVain++;
    return false;
  }

  /** Whether an earlier access comes before one of a lane, or is none that it could race with. */
  boolean ordered(Warp w, int lane, long me, long other) {
    if (Epoch.isPending(other)) return Epoch.isAsync(other) && async.isOver(w, lane, me, other);
    if (Epoch.sameWarp(me, other)) {
      boolean several = Epoch.isSeveral(me) || Epoch.isSeveral(other);
      if (Epoch.sameThread(me, other) && !several || Epoch.isMixed(other)) return true;
    }
    return morallyStrong(me, other) || causality.knows(w, lane, other);
  }

  /** Whether both accesses are strong, and each within the other's scope. */
  private boolean morallyStrong(long me, long other) {
    return Epoch.strong(me) && Epoch.strong(other)
        && (Epoch.sameCta(me, other) || Epoch.reachesSystem(me) && Epoch.reachesSystem(other)
        || Epoch.reachesGpu(me) && Epoch.reachesGpu(other) && history.launch().made(other)
        || Epoch.reachesCluster(me) && Epoch.reachesCluster(other) && history.made(other));
  }

  /** Whether what a lane of the same warp read has since gone into an exchange that this lane took part in. */
  private boolean wasCarried(Warp w, int lane, long reader, int readSite) {
    return causality.knowsCarried(w, lane, reader) && cta.kernel.sites().get(readSite).carried();
  }
}
