package tilewright.simulator.sanitizer;

import java.util.Arrays;
import tilewright.simulator.core.Warp;

/**
 * The history of each 4-byte word of some memory: the last write, some of the reads since, and which bytes were ever
 * written. All that is known of a word lies side by side, because the processor's caches are what checking is slow by.
 *
 * <p>CTAs that run at the same time share the shadow of global memory without locks: of two accesses within the same
 * few nanoseconds, either may overlook the other.
 */
public final class Shadow {
  public static final int WORD = 4;
  /** Two tell of a conflict with any later write but one by the only reader. */
  private static final int VISITORS = 2;
  private static final int SITES_PER_LONG = 3;
  private static final int SITE_BITS = 21;
  /** Numbers of instructions are below this. */
  static final int MOST_SITES = 1 << SITE_BITS;
  private static final long SITE_MASK = MOST_SITES - 1;

  final int readers;
  /** Reads are kept by reading warp, for so many warps of a CTA; then come visitors, then asynchronous operations. */
  private final int own;
  private final int firstAsync;
  private final int stride;
  private final long[] words;
  /** Empty when everything is initialised. */
  private final byte[] initialised;

  /**
   * @param own how many warps have a read of their own kept by word
   * @param visitors whether two more are kept, of whoever else reads
   * @param async how many more are kept of asynchronous operations
   * @param initialised whether the memory holds something from the beginning
   */
  Shadow(int size, int own, boolean visitors, int async, boolean initialised) {
    this.own = own;
    firstAsync = own + (visitors ? VISITORS : 0);
    readers = firstAsync + async;
    stride = 1 + readers + (readers + SITES_PER_LONG) / SITES_PER_LONG;
    words = new long[size * stride];
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
    Arrays.fill(words, 0);
    Arrays.fill(initialised, (byte) 0);
  }

  /** No thread may touch the words from one up to another. */
  void forbid(int from, int to) {
    for (int word = from; word < to; word++) words[word * stride] = Epoch.FORBIDDEN;
  }

  long write(int word) {
    return words[word * stride];
  }

  long read(int word, int reader) {
    return words[word * stride + 1 + reader];
  }

  int writeSite(int word) {
    return site(word, 0);
  }

  int readSite(int word, int reader) {
    return site(word, 1 + reader);
  }

  void write(int word, long epoch) {
    words[word * stride] = epoch;
  }

  void write(int word, long epoch, int site) {
    words[word * stride] = epoch;
    site(word, 0, site);
  }

  void read(int word, int reader, long epoch) {
    words[word * stride + 1 + reader] = epoch;
  }

  void read(int word, int reader, long epoch, int site) {
    words[word * stride + 1 + reader] = epoch;
    site(word, 1 + reader, site);
  }

  private int site(int word, int access) {
    long sites = words[word * stride + 1 + readers + access / SITES_PER_LONG];
    return (int) (sites >>> SITE_BITS * (access % SITES_PER_LONG) & SITE_MASK);
  }

  private void site(int word, int access, int site) {
    int at = word * stride + 1 + readers + access / SITES_PER_LONG;
    int shift = SITE_BITS * (access % SITES_PER_LONG);
    words[at] = words[at] & ~(SITE_MASK << shift) | (site & SITE_MASK) << shift;
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
    return words.length / stride;
  }

  /** The bytes of a word that an access of so many bytes at an offset touches. */
  static int touched(int offset, int bytes) {
    return bytes >= WORD ? 0xF : (1 << bytes) - 1 << (offset & 3);
  }
}
