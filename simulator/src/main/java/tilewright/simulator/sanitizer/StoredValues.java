package tilewright.simulator.sanitizer;

import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Warp;

/**
 * The values of the store under way, so that two threads which store the same value to one place are told from two
 * which disagree: only the latter do harm.
 */
public final class StoredValues {
  private static final int MOST_ELEMENTS = 8;

  private final Object[] elements = new Object[MOST_ELEMENTS];
  private int elementBytes;
  private int count;
  private int mask;
  private int site = Fault.NO_SITE;

  public void begin(int newSite, int newMask) {
    site = newSite;
    mask = newMask;
    count = 0;
  }

  /** The next element of each lane's vector. */
  public void add(int bytes, Object registers) {
    elementBytes = bytes;
    elements[count++] = registers;
  }

  /** Whether the store leaves the touched bytes of a word as they are, or as an earlier lane of it stores them. */
  boolean same(Warp w, int lane, long address, int touched, int at) {
    if (at != site) return false;
    int first = (int) AddressSpace.offset(address);
    for (int b = 0; b < Shadow.WORD; b++) {
      if ((touched >>> b & 1) == 0) continue;
      if (value(lane, first + b - w.offsets[lane]) != present(w, lane, first + b)) return false;
    }
    return true;
  }

  private int present(Warp w, int lane, int place) {
    var base = base(w, lane);
    for (int other = lane - 1; other >= 0; other--) {
      int k = place - w.offsets[other];
      boolean stores = (mask >>> other & 1) != 0 && k >= 0 && k < elementBytes * count && base(w, other) == base;
      if (stores) return value(other, k);
    }
    return base[place] & 0xFF;
  }

  private static byte[] base(Warp w, int lane) {
    return w.base == Warp.PER_LANE ? w.bases[lane] : w.base;
  }

  private int value(int lane, int k) {
    int shift = 8 * (k % elementBytes);
    return (int) (bits(elements[k / elementBytes], lane) >>> shift) & 0xFF;
  }

  private static long bits(Object registers, int lane) {
    return switch (registers) {
      case int[] a -> a[lane];
      case float[] a -> Float.floatToRawIntBits(a[lane]);
      case long[] a -> a[lane];
      case double[] a -> Double.doubleToRawLongBits(a[lane]);
      default -> throw new IllegalArgumentException("no register: " + registers);
    };
  }
}
