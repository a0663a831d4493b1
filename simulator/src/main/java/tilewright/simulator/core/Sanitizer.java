package tilewright.simulator.core;

import java.util.Arrays;

/**
 * Watches the memory accesses of one CTA: who wrote and read each word last, and when, in the vector time of its warps
 * (as FastTrack does for threads). Two accesses of different threads, one a write, race unless {@link Causality} orders
 * them or both are strong and within each other's scope.
 */
final class Sanitizer {
  private final Cta cta;
  private final int warps;
  private final Causality causality;
  private final Shadow shared;
  /** Where the CTA's shared memory begins. */
  private final long window;
  private final Visits visits;
  private final byte[] local;
  private final RaceReport report;
  /** Lanes whose strong read is under way, and what they read. */
  private int observing;
  private final long[] observed = new long[Warp.LANES];
  /** Of several lanes that make one access, one that is not the first. */
  private int alike;
  private final StoredValues stored = new StoredValues();

  Sanitizer(Cta cta) {
    this.cta = cta;
    warps = cta.warps.length;
    causality = new Causality(cta);
    shared = new Shadow((cta.sharedBytes + Shadow.WORD - 1) / Shadow.WORD, warps, cta.cluster.ctas.length > 1, false);
    window = AddressSpace.SHARED_WINDOW + ((long) cta.rank << AddressSpace.RANK_BITS);
    visits = new Visits(cta);
    local = new byte[cta.threads * cta.kernel.localBytes()];
    report = new RaceReport(cta);
  }

  void reset() {
    observing = 0;
    causality.reset();
    shared.clear();
    visits.reset();
    Arrays.fill(local, (byte) 0);
    forbidGaps();
  }

  /** Bytes between variables are nobody's: whoever touches them has overrun one. */
  private void forbidGaps() {
    int end = 0;
    for (var v : cta.kernel.shared()) {
      int begin = v.offset() / Shadow.WORD;
      shared.forbid(end, Math.min(begin, shared.size()));
      end = v.bytes() == 0 ? shared.size() : (v.offset() + v.bytes() + Shadow.WORD - 1) / Shadow.WORD;
    }
  }

  Causality causality() {
    return causality;
  }

  StoredValues stored() {
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
      var owner = w.owners[lane].sanitizer;
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
      strong(w, lane, owner.window + offset, order, access);
      now = causality.base(w, order.scope());
    }
    long address = owner.window + (offset & -Shadow.WORD);
    long me = Epoch.of(now, lane, Shadow.touched(offset, bytes));
    for (int done = 0; done < bytes; done += Shadow.WORD) {
      access(owner.shared, offset + done >> 2, address + done, w, lane, me, access, site, bytes);
    }
    return now;
  }

  Visits visits() {
    return visits;
  }

  /** A warp access to places in one buffer of global memory. */
  void global(Warp w, int mask, long window, int[] offsets, int bytes, int access, int site) {
    var buffer = cta.space.shadow(window);
    if (buffer == null) return;
    var order = cta.kernel.sites().get(site).order();
    long base = causality.base(w, order.scope());
    Shadow page = null;
    int number = -1;
    for (int rest = mask; rest != 0; ) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int offset = offsets[lane];
      rest &= rest - 1;
      if (order.strong()) {
        strong(w, lane, window + offset, order, access);
        base = causality.base(w, order.scope());
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
    int start = (w.index * Warp.LANES + lane) * cta.kernel.localBytes();
    System.arraycopy(local, start + from, local, start + to, bytes);
  }

  private void strong(Warp w, int lane, long address, MemoryOrder order, int access) {
    if (access != Access.READ) causality.publish(w, lane, address, order);
    if (access != Access.WRITE) {
      observing |= 1 << lane;
      observed[lane] = address;
    }
  }

  /**
   * The strong read that was announced has been made. Blocks on other processors publish before they write, so what
   * this read has seen is published by now.
   */
  void observed(Warp w, MemoryOrder order, boolean atomic) {
    for (int rest = observing; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      causality.observe(w, lane, observed[lane], order, atomic);
    }
    observing = 0;
  }

  /** A warp access to local memory: what a thread reads it must have written. */
  void local(Warp w, int mask, int bytes, int access, int site) {
    int extent = cta.kernel.localBytes();
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int at = w.index * Warp.LANES * extent + w.offsets[lane];
      for (int k = at; k < at + bytes; k++) {
        if (access == Access.READ && local[k] == 0) {
          report.uninitialised(w, lane, AddressSpace.LOCAL_WINDOW + w.offsets[lane] - lane * extent, bytes, site);
          break;
        }
        local[k] = 1;
      }
    }
  }

  private void access(Shadow s, int word, long address, Warp w, int lane, long me, int access, int site, int bytes) {
    switch (access) {
      case Access.READ -> read(s, word, address, w, lane, me, site, bytes);
      case Access.WRITE -> write(s, word, address, w, lane, me, site, bytes, access);
      default -> {
        checkInitialised(s, word, address, w, lane, me, site, bytes);
        write(s, word, address, w, lane, me, site, bytes, access);
      }
    }
  }

  private void checkInitialised(Shadow s, int word, long address, Warp w, int lane, long me, int site, int bytes) {
    int touched = Epoch.bytes(me);
    if (s.isInitialised(word, touched)) return;
    if (s.write(word) == Epoch.FORBIDDEN) throw report.overrun(w, lane, address, bytes, site, Access.READ);
    report.uninitialised(w, lane, address, bytes, site);
    s.initialise(word, touched);
  }

  private void read(Shadow s, int word, long address, Warp w, int lane, long me, int site, int bytes) {
    checkInitialised(s, word, address, w, lane, me, site, bytes);
    long writer = s.write(word);
    if (writer != 0 && Epoch.touches(writer, Epoch.bytes(me)) && !ordered(w, lane, me, writer)) {
      int reader = Epoch.isSeveral(me) && Epoch.sameThread(me, writer) ? alike : lane;
      report.conflict(w, reader, address, site, Access.READ, writer, s.writeSite(word), Access.WRITE);
    }
    int slot = s == shared ? w.index : s.visitor(word, me);
    long old = s.read(word, slot);
    long now = Epoch.sameMoment(old, me) ? Epoch.merged(old, me) : me;
    if (now != old) s.read(word, slot, now, site);
  }

  private void write(Shadow s, int word, long address, Warp w, int lane, long me, int site, int bytes, int access) {
    int touched = Epoch.bytes(me);
    long writer = s.write(word);
    if (writer != 0 && Epoch.touches(writer, touched) && !ordered(w, lane, me, writer)) {
      if (writer == Epoch.FORBIDDEN) throw report.overrun(w, lane, address, bytes, site, Access.WRITE);
      if (Epoch.isPending(writer) || !stored.same(w, lane, address, touched, site)) {
        report.conflict(w, lane, address, site, access, writer, s.writeSite(word), Access.WRITE);
      }
    }
    for (int slot = 0; slot < s.readers; slot++) {
      long reader = s.read(word, slot);
      if (reader != 0 && Epoch.touches(reader, touched) && !ordered(w, lane, me, reader)
          && (Epoch.isPending(reader) || !causality.knowsRead(w, lane, reader))) {
        report.conflict(w, lane, address, site, access, reader, s.readSite(word, slot), Access.READ);
      }
    }
    s.write(word, Epoch.sameMoment(writer, me) && !Epoch.isPending(writer) ? Epoch.merged(writer, me) : me, site);
    s.initialise(word, touched);
  }

  private boolean ordered(Warp w, int lane, long me, long other) {
    if (Epoch.isPending(other)) return false;
    if (Epoch.sameWarp(me, other)) {
      boolean several = Epoch.isSeveral(me) || Epoch.isSeveral(other);
      if (Epoch.sameThread(me, other) && !several || Epoch.isMixed(other)) return true;
    }
    if (Epoch.strong(me) && Epoch.strong(other)
        && (Epoch.sameCta(me, other) || Epoch.reachesGpu(me) && Epoch.reachesGpu(other)
        || Epoch.reachesCluster(me) && Epoch.reachesCluster(other) && cta.cluster.made(other))) return true;
    return causality.knows(w, lane, other);
  }

  /** An asynchronous copy begins to write the places in {@code offsets}. */
  void copying(Warp w, int lanes, int[] offsets, int bytes, int site) {
    long base = causality.base(w, MemoryOrder.Scope.NONE);
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      for (int done = 0; done < bytes; done += Shadow.WORD) {
        int word = offsets[lane] + done >> 2;
        write(shared, word, window + offsets[lane] + done, w, lane, Epoch.of(base, lane, 0xF), site,
            bytes, Access.WRITE);
        shared.write(word, Epoch.pending(shared.write(word)));
      }
    }
  }

  /** The issuing threads have waited for the copy: from now on it is like a write of theirs. */
  void copied(Warp w, int lanes, int[] offsets, int bytes, int site) {
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      for (int done = 0; done < bytes; done += Shadow.WORD) {
        int word = offsets[lane] + done >> 2;
        if (shared.writeSite(word) == site) settle(word, causality.now(w));
      }
    }
  }

  private void settle(int word, int time) {
    long e = shared.write(word);
    if (e != Epoch.FORBIDDEN && Epoch.isPending(e)) shared.write(word, Epoch.settled(e, time));
  }

  /** An asynchronous store of some thread to a place in the shared memory of a CTA of the cluster begins. */
  void sending(Warp w, int lane, Cta owner, int offset, int bytes, int site) {
    var target = owner.sanitizer;
    long me = Epoch.of(causality.base(w, MemoryOrder.Scope.NONE), lane, 0xF);
    if (owner != cta) target.visits.begin(w, lane, me, site);
    for (int done = 0; done < bytes; done += Shadow.WORD) {
      int word = offset + done >> 2;
      write(target.shared, word, target.window + offset + done, w, lane, me, site, bytes, Access.WRITE);
      target.shared.write(word, Epoch.pending(target.shared.write(word)));
    }
  }

  /** It has arrived: whoever knows {@code time} of the issuing warp may read it. */
  void sent(Warp w, int lane, Cta owner, int offset, int bytes, int time) {
    long me = Epoch.of(causality.base(w, MemoryOrder.Scope.NONE), lane, 0xF);
    var target = owner.sanitizer;
    for (int done = 0; done < bytes; done += Shadow.WORD) {
      int word = offset + done >> 2;
      if (Epoch.sameThread(target.shared.write(word), me)) target.settle(word, time);
    }
  }

  /** A tensor core begins to read runs of shared memory of a CTA of the cluster, until {@link #operandRead}. */
  void readingOperand(Warp w, int lane, Cta owner, int[] offsets, int bytes, int site) {
    var target = owner.sanitizer;
    long me = Epoch.of(causality.base(w, MemoryOrder.Scope.NONE), lane, 0xF);
    if (owner != cta) target.visits.begin(w, lane, me, site);
    for (int offset : offsets) {
      for (int word = offset >> 2; word < offset + bytes >> 2; word++) {
        read(target.shared, word, target.window + 4L * word, w, lane, me, site, bytes);
        int slot = owner == cta ? w.index : target.shared.visitor(word, me);
        target.shared.read(word, slot, Epoch.pending(target.shared.read(word, slot)));
      }
    }
  }

  /** It has read them: whoever knows {@code time} of the issuing warp may overwrite them. */
  void operandRead(Warp w, int lane, Cta owner, int[] offsets, int bytes, int time) {
    var target = owner.sanitizer;
    long me = Epoch.of(causality.base(w, MemoryOrder.Scope.NONE), lane, 0xF);
    for (int offset : offsets) {
      for (int word = offset >> 2; word < offset + bytes >> 2; word++) {
        int slot = owner == cta ? w.index : target.shared.visitor(word, me);
        long e = target.shared.read(word, slot);
        // A later operation may be reading the same by now.
        boolean mine = Epoch.isPending(e) && Epoch.sameThread(e, me) && Epoch.time(e) == time;
        if (mine) target.shared.read(word, slot, Epoch.settled(e, time));
      }
    }
  }

  int time(Warp w) {
    return causality.now(w);
  }

  /** What an asynchronous operation of this thread carries to the barrier it completes on. */
  SyncClock snapshot(Warp w, int lane) {
    var clock = causality.clock();
    causality.release(w, 1 << lane, clock);
    return clock;
  }

  /** A bulk store begins to read, until {@link #readDone}. */
  void reading(Warp w, int lane, int offset, int bytes, int site) {
    long me = Epoch.of(causality.base(w, MemoryOrder.Scope.NONE), lane, 0xF);
    for (int word = offset >> 2; word < offset + bytes >> 2; word++) {
      read(shared, word, window + 4L * word, w, lane, me, site, bytes);
      shared.read(word, w.index, Epoch.pending(me));
    }
  }

  void readDone(Warp w, int offset, int bytes) {
    for (int word = offset >> 2; word < offset + bytes >> 2; word++) {
      long e = shared.read(word, w.index);
      if (Epoch.isPending(e)) shared.read(word, w.index, Epoch.settled(e, time(w)));
    }
  }
}
