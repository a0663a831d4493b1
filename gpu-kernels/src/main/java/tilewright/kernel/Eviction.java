package tilewright.kernel;

/** When L2 gives up what a read brings, against all else (PTX ISA, {@code createpolicy}). */
public enum Eviction {
  /** Before all else: what is read once. */
  FIRST,
  /** After all else. */
  LAST;

  String text() {
    return this == FIRST ? "evict_first" : "evict_last";
  }
}
