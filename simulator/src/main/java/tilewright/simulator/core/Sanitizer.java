package tilewright.simulator.core;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import tilewright.simulator.Finding.Kind;

/**
 * Watches one CTA's shared memory: for each 4-byte word, who wrote and read it last and when, in the vector time of the
 * warps (as FastTrack does for threads). Two accesses of different warps, one a write, race unless a barrier orders
 * them.
 */
final class Sanitizer {
  private static final int WORD = 4;
  private static final int PENDING = Integer.MAX_VALUE;

  private final Cta cta;
  private final int warps;
  private final VectorClock[] clocks;
  private final int[] writeTime;
  private final byte[] writeWarp;
  private final byte[] writeBytes;
  private final int[] writeSite;
  private final boolean[] writeAtomic;
  private final int[] readTime;
  private final byte[] readBytes;
  private final int[] readSite;
  private final byte[] initialised;
  private final Map<Integer, VectorClock> atomicClocks = new HashMap<>();
  private final BankCounter banks;

  Sanitizer(Cta cta) {
    this.cta = cta;
    warps = cta.warps.length;
    int words = (cta.sharedBytes + WORD - 1) / WORD;
    clocks = new VectorClock[warps];
    for (int i = 0; i < warps; i++) clocks[i] = new VectorClock(warps);
    writeTime = new int[words];
    writeWarp = new byte[words];
    writeBytes = new byte[words];
    writeSite = new int[words];
    writeAtomic = new boolean[words];
    initialised = new byte[words];
    readTime = new int[words * warps];
    readBytes = new byte[words * warps];
    readSite = new int[words * warps];
    banks = cta.state.banks;
  }

  void reset() {
    for (int i = 0; i < warps; i++) {
      clocks[i].clear();
      clocks[i].advance(i);
    }
    Arrays.fill(writeTime, 0);
    Arrays.fill(writeBytes, (byte) 0);
    Arrays.fill(writeAtomic, false);
    Arrays.fill(initialised, (byte) 0);
    Arrays.fill(readTime, 0);
    atomicClocks.clear();
  }

  /** What {@code w} did so far becomes known to whoever acquires {@code clock}. */
  void release(Warp w, VectorClock clock) {
    clock.join(clocks[w.index]);
    clocks[w.index].advance(w.index);
  }

  void acquire(Warp w, VectorClock clock) {
    clocks[w.index].join(clock);
  }

  /** What an asynchronous operation of this warp carries to the barrier it completes on. */
  VectorClock snapshot(Warp w) {
    var clock = new VectorClock(warps);
    release(w, clock);
    return clock;
  }

  /** A warp access to the places in {@link Warp#offsets}. */
  void access(Warp w, int mask, int bytes, int access, int site) {
    if (access == Access.PLACE) return;
    banks.count(site, w.offsets, mask, bytes);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      int offset = w.offsets[lane];
      for (int done = 0; done < bytes; done += WORD) {
        int word = offset + done >> 2;
        int touched = bytes >= WORD ? 0xF : (1 << bytes) - 1 << (offset & 3);
        switch (access) {
          case Access.READ -> read(w, lane, word, touched, site);
          case Access.WRITE -> write(w, lane, word, touched, site, false);
          default -> update(w, lane, word, touched, site);
        }
      }
    }
  }

  private void read(Warp w, int lane, int word, int touched, int site) {
    if ((initialised[word] & touched) != touched) {
      report(Kind.UNINITIALIZED_READ, w, lane, word, site, () -> "reads bytes that nobody has written");
      initialised[word] |= (byte) touched;
    }
    checkWriter(w, lane, word, touched, site, "reads");
    int slot = word * warps + w.index;
    int now = clocks[w.index].of(w.index);
    readBytes[slot] = (byte) (readTime[slot] == now ? readBytes[slot] | touched : touched);
    readTime[slot] = now;
    readSite[slot] = site;
  }

  private void write(Warp w, int lane, int word, int touched, int site, boolean atomic) {
    if (!(atomic && writeAtomic[word])) checkWriter(w, lane, word, touched, site, "writes");
    checkReaders(w, lane, word, touched, site);
    int now = clocks[w.index].of(w.index);
    boolean more = writeTime[word] == now && writeWarp[word] == w.index;
    writeBytes[word] = (byte) (more ? writeBytes[word] | touched : touched);
    writeTime[word] = now;
    writeWarp[word] = (byte) w.index;
    writeSite[word] = site;
    writeAtomic[word] = atomic;
    initialised[word] |= (byte) touched;
  }

  private void update(Warp w, int lane, int word, int touched, int site) {
    if ((initialised[word] & touched) != touched) {
      report(Kind.UNINITIALIZED_READ, w, lane, word, site, () -> "updates bytes that nobody has written");
    }
    // Kernels build locks and counters from atomics and fences; taking each atomic as ordering spares them false
    // alarms.
    var clock = atomicClocks.computeIfAbsent(word, _ -> new VectorClock(warps));
    acquire(w, clock);
    write(w, lane, word, touched, site, true);
    release(w, clock);
  }

  private void checkWriter(Warp w, int lane, int word, int touched, int site, String verb) {
    if ((writeBytes[word] & touched) == 0) return;
    int other = writeWarp[word];
    int time = writeTime[word];
    if (time == PENDING) {
      report(Kind.PENDING_COPY_READ, w, lane, word, site, () -> verb
          + " the destination of the asynchronous copy at line "
          + line(writeSite[word]) + " of warp " + other + " before the wait for it");
    } else if (other != w.index && time > clocks[w.index].of(other)) {
      report(Kind.RACE, w, lane, word, site, () -> verb + " what warp " + other + " writes at line "
          + line(writeSite[word]) + " with no barrier between");
    }
  }

  private void checkReaders(Warp w, int lane, int word, int touched, int site) {
    var known = clocks[w.index];
    int first = word * warps;
    for (int other = 0; other < warps; other++) {
      int time = readTime[first + other];
      if (time == 0 || (readBytes[first + other] & touched) == 0) continue;
      if (time == PENDING || other != w.index && time > known.of(other)) {
        int reader = other;
        report(Kind.RACE, w, lane, word, site, () -> "writes what warp " + reader + " reads at line "
            + line(readSite[first + reader]) + (time == PENDING ? " asynchronously, before the wait for it"
            : " with no barrier between"));
      }
    }
  }

  private int line(int site) {
    return cta.kernel.sites().get(site).line();
  }

  private void report(Kind kind, Warp w, int lane, int word, int site, Supplier<String> what) {
    cta.state.findings.add(kind, site, cta, w.thread(lane), (long) word * WORD,
        () -> w.who(lane) + " (warp " + w.index + ") " + what.get() + ", at shared memory + " + word * WORD);
  }

  /** An asynchronous copy begins to write the places in {@code offsets}. */
  void copying(Warp w, int lanes, int[] offsets, int bytes, int site) {
    banks.count(site, offsets, lanes, Math.min(bytes, 16));
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((lanes >>> lane & 1) == 0) continue;
      for (int done = 0; done < bytes; done += WORD) {
        int word = offsets[lane] + done >> 2;
        write(w, lane, word, 0xF, site, false);
        writeTime[word] = PENDING;
      }
    }
  }

  /** The issuing threads have waited for the copy: from now on it is like a write of theirs. */
  void copied(Warp w, int lanes, int[] offsets, int bytes, int site) {
    int now = clocks[w.index].of(w.index);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((lanes >>> lane & 1) == 0) continue;
      for (int done = 0; done < bytes; done += WORD) {
        int word = offsets[lane] + done >> 2;
        if (writeTime[word] == PENDING && writeSite[word] == site) writeTime[word] = now;
      }
    }
  }

  /** A bulk copy has landed; whoever knows {@code time} of the issuing warp may read it. */
  void landed(Warp w, int offset, int bytes, int time) {
    for (int word = offset >> 2; word < offset + bytes >> 2; word++) {
      if (writeTime[word] == PENDING && writeWarp[word] == w.index) writeTime[word] = time;
    }
  }

  int time(Warp w) {
    return clocks[w.index].of(w.index);
  }

  /** A bulk store begins to read, until {@link #readDone}. */
  void reading(Warp w, int lane, int offset, int bytes, int site) {
    for (int word = offset >> 2; word < offset + bytes >> 2; word++) {
      read(w, lane, word, 0xF, site);
      readTime[word * warps + w.index] = PENDING;
    }
  }

  void readDone(Warp w, int offset, int bytes) {
    for (int word = offset >> 2; word < offset + bytes >> 2; word++) {
      int slot = word * warps + w.index;
      if (readTime[slot] == PENDING) readTime[slot] = time(w);
    }
  }
}
