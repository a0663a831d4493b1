package tilewright.simulator.sanitizer;

import java.util.Arrays;
import java.util.function.LongPredicate;

/** The last access of one kind to each word of some memory: its {@link Epoch}, and the instruction that made it. */
final class LastAccesses {
  private final long[] epochs;
  private final int[] sites;

  LastAccesses(int words) {
    epochs = new long[words];
    sites = new int[words];
  }

  void clear() {
    Arrays.fill(epochs, 0);
  }

  long epoch(int word) {
    return epochs[word];
  }

  int site(int word) {
    return sites[word];
  }

  void put(int word, long epoch) {
    epochs[word] = epoch;
  }

  void put(int word, long epoch, int site) {
    epochs[word] = epoch;
    sites[word] = site;
  }

  /** Puts an access to all words from one up to another. */
  void put(int from, int to, long epoch, int site) {
    for (int word = from; word < to; word++) put(word, epoch, site);
  }

  /** Whether all accesses to the words from one up to another pass a test, which is asked once for neighbours alike. */
  boolean allMatch(int from, int to, LongPredicate test) {
    long passed = 0;
    for (int word = from; word < to; word++) {
      long epoch = epochs[word];
      if (epoch == 0 || epoch == passed) continue;
      if (!test.test(epoch)) return false;
      passed = epoch;
    }
    return true;
  }
}
