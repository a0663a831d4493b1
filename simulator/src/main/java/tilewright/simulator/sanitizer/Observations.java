package tilewright.simulator.sanitizer;

import java.util.Arrays;
import tilewright.simulator.core.Warp;

/**
 * The writes that threads of one CTA have seen by strong reads. A write that a morally strong read returns comes before
 * whatever follows that read (PTX ISA, memory consistency model: observation order is part of causality order), even
 * where it makes nothing else known. Only the latest are kept: who polls a flag acts on it soon.
 */
final class Observations {
  private static final int SETS = 512;
  private static final int WAYS = 8;
  private static final int FIELDS = 3;

  /** By set and way: the address, the write, and the read that saw it. */
  private final long[] entries = new long[SETS * WAYS * FIELDS];
  private int victim;
  private boolean any;

  void reset() {
    if (any) Arrays.fill(entries, 0);
    any = false;
  }

  private static int set(long address) {
    return (int) ((address >>> 2) * 0x9E3779B97F4A7C15L >>> 48) % SETS * WAYS * FIELDS;
  }

  /** A read at an address has returned what a write left there. */
  void add(long address, long write, long read) {
    any = true;
    int set = set(address);
    int at = -1;
    for (int way = set; way < set + WAYS * FIELDS; way += FIELDS) {
      boolean same = entries[way] == address && Epoch.sameThread(entries[way + 2], read);
      if (same || entries[way] == 0 && at < 0) at = way;
      if (same) break;
    }
    if (at < 0) at = set + (victim++ & WAYS - 1) * FIELDS;
    entries[at] = address;
    entries[at + 1] = write;
    entries[at + 2] = read;
  }

  /** Whether a lane, or a thread that it knows to have come so far, has seen a write. */
  boolean precedes(long address, long write, Causality causality, Warp w, int lane, long me) {
    if (!any) return false;
    int set = set(address);
    for (int way = set; way < set + WAYS * FIELDS; way += FIELDS) {
      if (entries[way] != address || entries[way + 1] != write) continue;
      long read = entries[way + 2];
      if (Epoch.sameThread(read, me) || causality.knows(w, lane, read)) return true;
    }
    return false;
  }
}
