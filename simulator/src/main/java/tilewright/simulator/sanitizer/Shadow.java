package tilewright.simulator.sanitizer;

import java.util.Arrays;
import java.util.function.LongPredicate;
import tilewright.simulator.core.Warp;

/**
 * The history of each 4-byte word of some memory: the last write, some of the reads since, and which bytes were ever
 * written. Neighbouring words lie side by side for each of these {@link LastAccesses}, because tiles are checked by
 * rows, and most warps of a specialised kernel never touch them.
 *
 * <p>CTAs that run at the same time share the shadow of global memory without locks: of two accesses within the same
 * few nanoseconds, either may overlook the other.
 */
public final class Shadow {
  public static final int WORD = 4;
  /** Two tell of a conflict with any later write but one by the only reader. */
  private static final int VISITORS = 2;
  /** Numbers of a kernel's instructions are below this. */
  static final int MOST_SITES = 1 << 21;

  final int readers;
  /** Reads are kept by reading warp, for so many warps of a CTA; then come visitors, then asynchronous operations. */
  private final int own;
  private final int firstAsync;
  private final int size;
  /** The last writes, then the reads by reader; each null until the first. */
  private final LastAccesses[] last;
  /** Empty when everything is initialised. */
  private final byte[] initialised;

  /**
   * @param own how many warps have a read of their own kept by word
   * @param visitors whether two more are kept, of whoever else reads
   * @param async how many more are kept of asynchronous operations
   * @param initialised whether the memory holds something from the beginning
   */
  Shadow(int size, int own, boolean visitors, int async, boolean initialised) {
    this.size = size;
    this.own = own;
    firstAsync = own + (visitors ? VISITORS : 0);
    readers = firstAsync + async;
    last = new LastAccesses[1 + readers];
    this.initialised = initialised ? new byte[0] : new byte[size];
  }

  /** Where the read of a visitor goes: beside one of another CTA, if there is one. */
  int visitor(int word, long me) {
    long first = read(word, own);
    return first == 0 || Epoch.sameCta(first, me) ? own : own + 1;
  }

  /** Where reads of asynchronous operations go that a warp issues: beside those of other warpgroups and CTAs. */
  int async(Warp w, boolean visits) {
    return visits ? readers - 1 : Math.min(firstAsync + w.index / Warp.WARPGROUP_WARPS, readers - 1);
  }

  void clear() {
    for (var accesses : last) if (accesses != null) accesses.clear();
    Arrays.fill(initialised, (byte) 0);
  }

  /** No thread may touch the words from one up to another. */
  void forbid(int from, int to) {
    if (from < to) writes().put(from, to, Epoch.FORBIDDEN, 0);
  }

  long write(int word) {
    var writes = last[0];
    return writes == null ? 0 : writes.epoch(word);
  }

  long read(int word, int reader) {
    var reads = last[1 + reader];
    return reads == null ? 0 : reads.epoch(word);
  }

  int writeSite(int word) {
    return writes().site(word);
  }

  int readSite(int word, int reader) {
    return reads(reader).site(word);
  }

  void write(int word, long epoch) {
    writes().put(word, epoch);
  }

  void write(int word, long epoch, int site) {
    writes().put(word, epoch, site);
  }

  void read(int word, int reader, long epoch, int site) {
    reads(reader).put(word, epoch, site);
  }

  /** Visitors read all of the words from one up to another. */
  void visit(int from, int to, long epoch, int site) {
    for (int word = from; word < to; word++) read(word, visitor(word, epoch), epoch, site);
  }

  /** Whether all words hold what was there from the beginning. */
  boolean isUnwritten() {
    return initialised.length == 0 && last[0] == null;
  }

  /** Overwrites all of the words from one up to another. */
  void overwrite(int from, int to, long epoch, int site) {
    writes().put(from, to, epoch, site);
    if (initialised.length != 0) Arrays.fill(initialised, from, to, (byte) 0xF);
  }

  /** Whether all accesses to the words from one up to another pass a test. */
  boolean allMatch(int from, int to, LongPredicate test) {
    for (var accesses : last) if (accesses != null && !accesses.allMatch(from, to, test)) return false;
    return true;
  }

  LastAccesses writes() {
    return last[0] != null ? last[0] : make(0);
  }

  LastAccesses reads(int reader) {
    return last[1 + reader] != null ? last[1 + reader] : make(1 + reader);
  }

  private synchronized LastAccesses make(int kind) {
    if (last[kind] == null) last[kind] = new LastAccesses(size);
    return last[kind];
  }

  boolean isInitialised(int word, int bytes) {
    return uninitialised(word, bytes) == 0;
  }

  /** The bytes of a word, of some, that nobody has written. */
  int uninitialised(int word, int bytes) {
    return initialised.length == 0 ? 0 : bytes & ~initialised[word];
  }

  void initialise(int word, int bytes) {
    if (initialised.length != 0) initialised[word] |= (byte) bytes;
  }

  int size() {
    return size;
  }

  /** The bytes of a word that an access of so many bytes at an offset touches. */
  static int touched(int offset, int bytes) {
    return bytes >= WORD ? 0xF : (1 << bytes) - 1 << (offset & 3);
  }
}
