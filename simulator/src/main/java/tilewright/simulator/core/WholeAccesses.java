package tilewright.simulator.core;

/**
 * Strong loads and stores of vectors and of 128 bits, each in one piece: no block sees a part of another's. The PTX ISA
 * leaves that open for vectors, but hardware does it and programs build on it, as CUB's look-back does with a value and
 * its flag. A lane's bytes are copied at once, under the lock that atomics take; elements are moved from or to the copy.
 */
public final class WholeAccesses {
  private static final int BYTES = 32;

  private final byte[] bytes = new byte[Warp.LANES * BYTES];
  /** Where the access itself goes, while its copy takes its place. */
  private byte[] base = Warp.PER_LANE;
  private final int[] offsets = new int[Warp.LANES];

  /** Copies what a load of that size reads, and makes the copy the place of the access until {@link #leave}. */
  public static void load(Warp w, int mask, int size) {
    var whole = w.whole;
    whole.copy(w, mask, size, true);
    whole.enter(w);
  }

  /** Makes a copy the place of a store until {@link #leave}. */
  public static void store(Warp w, int mask) {
    w.whole.enter(w);
  }

  /** Writes the copy to where the store goes. */
  public static void stored(Warp w, int mask, int size) {
    w.whole.copy(w, mask, size, false);
  }

  /** Makes the places of the access its own again. */
  public static void leave(Warp w, int mask) {
    w.base = w.whole.base;
    System.arraycopy(w.whole.offsets, 0, w.offsets, 0, Warp.LANES);
  }

  private void enter(Warp w) {
    base = w.base;
    w.base = bytes;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      offsets[lane] = w.offsets[lane];
      w.offsets[lane] = lane * BYTES;
    }
  }

  private void copy(Warp w, int mask, int size, boolean in) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      byte[] memory = w.base == Warp.PER_LANE ? w.bases[lane] : w.base;
      synchronized (memory) {
        if (in) System.arraycopy(memory, w.offsets[lane], bytes, lane * BYTES, size);
        else System.arraycopy(bytes, lane * BYTES, memory, w.offsets[lane], size);
      }
    }
  }
}
