package tilewright.kernel;

/** The L2 eviction priority of a read's cache lines (PTX ISA, {@code createpolicy}). */
public enum Eviction {
  /** Before all else: what is read once. */
  FIRST,
  /** After all else. */
  LAST;

  String text() {
    return this == FIRST ? "evict_first" : "evict_last";
  }
}
