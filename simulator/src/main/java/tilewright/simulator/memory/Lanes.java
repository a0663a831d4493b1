package tilewright.simulator.memory;

import java.util.function.IntToLongFunction;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.IntegerMath;
import tilewright.simulator.core.Warp;

/**
 * Exchanges and votes among the lanes of a warp (PTX ISA, shfl.sync, vote.sync, redux.sync, match.sync, elect.sync).
 */
public final class Lanes {
  public static final int UP = 0;
  public static final int DOWN = 1;
  public static final int BUTTERFLY = 2;
  public static final int INDEX = 3;
  public static final int ALL = 0;
  public static final int ANY = 1;
  public static final int UNIFORM = 2;
  public static final int ADD = 0;
  public static final int MIN = 1;
  public static final int MAX = 2;
  public static final int AND = 3;
  public static final int OR = 4;
  public static final int XOR = 5;
  private static final int FIVE_BITS = 31;

  private Lanes() {}

  /** Returns the lanes whose source lane lay within bounds. */
  public static int shuffle(Warp w, int mask, int mode, int[] value, int[] by, int[] bounds, int[] to) {
    int valid = 0;
    int[] result = w.scratch;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      int source = source(mode, lane, by[lane], bounds[lane]);
      if (source >= 0) valid |= 1 << lane;
      result[lane] = value[source >= 0 ? source : lane];
    }
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) to[lane] = result[lane];
    return valid;
  }

  /** The lane a shuffle reads from; negative when that lies outside the bounds. */
  public static int source(int mode, int lane, int by, int bounds) {
    int b = by & FIVE_BITS;
    int segment = bounds >>> 8 & FIVE_BITS;
    int last = lane & segment | bounds & FIVE_BITS & ~segment;
    int first = lane & segment;
    int source = switch (mode) {
      case UP -> lane - b;
      case DOWN -> lane + b;
      case BUTTERFLY -> lane ^ b;
      default -> first | b & ~segment;
    };
    return (mode == UP ? source >= last : source <= last) ? source : -1;
  }

  public static int vote(Warp w, int mask, int mode, int predicate) {
    int set = w.p[predicate] & mask;
    boolean result = switch (mode) {
      case ALL -> set == mask;
      case ANY -> set != 0;
      default -> set == mask || set == 0;
    };
    return result ? mask : 0;
  }

  public static void ballot(Warp w, int mask, int predicate, int[] to) {
    fill(mask, w.p[predicate] & mask, to);
  }

  public static void activeMask(Warp w, int mask, int[] to) {
    fill(mask, mask, to);
  }

  private static void fill(int mask, int value, int[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) to[lane] = value;
  }

  public static void reduce(Warp w, int mask, int op, int signed, int[] value, int[] to) {
    int first = Integer.numberOfTrailingZeros(mask);
    int result = value[first];
    for (int lane = first + 1; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      int v = value[lane];
      result = switch (op) {
        case ADD -> result + v;
        case MIN -> signed != 0 ? Math.min(result, v) : IntegerMath.minU(result, v);
        case MAX -> signed != 0 ? Math.max(result, v) : IntegerMath.maxU(result, v);
        case AND -> result & v;
        case OR -> result | v;
        default -> result ^ v;
      };
    }
    fill(mask, result, to);
  }

  /** The least or greatest number, of the magnitudes if asked; a NaN counts only where {@code propagate}. */
  public static void extremum(Warp w, int mask, int max, int magnitudes, int propagate, float[] value, float[] to) {
    float result = value[Integer.numberOfTrailingZeros(mask)];
    if (magnitudes != 0) result = Math.abs(result);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      float v = magnitudes != 0 ? Math.abs(value[lane]) : value[lane];
      result = propagate != 0 ? max != 0 ? FloatMath.maxNaN(result, v) : FloatMath.minNaN(result, v)
          : max != 0 ? FloatMath.max(result, v) : FloatMath.min(result, v);
    }
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) to[lane] = FloatMath.canonical(result);
    }
  }

  /** Finds for each lane the lanes with its value. */
  public static int matchAny(Warp w, int mask, int[] value, int[] to) {
    return matchAny(w, mask, lane -> value[lane], to);
  }

  public static int matchAny(Warp w, int mask, long[] value, int[] to) {
    return matchAny(w, mask, lane -> value[lane], to);
  }

  private static int matchAny(Warp w, int mask, IntToLongFunction value, int[] to) {
    int[] result = w.scratch;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      result[lane] = 0;
      for (int other = 0; other < Warp.LANES; other++) {
        boolean same = value.applyAsLong(other) == value.applyAsLong(lane);
        if ((mask >>> other & 1) != 0 && same) result[lane] |= 1 << other;
      }
    }
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) to[lane] = result[lane];
    return mask;
  }

  /** The mask if all its lanes have the same value, else 0; returns whether they have. */
  public static int matchAll(Warp w, int mask, int[] value, int[] to) {
    return matchAll(mask, lane -> value[lane], to);
  }

  public static int matchAll(Warp w, int mask, long[] value, int[] to) {
    return matchAll(mask, lane -> value[lane], to);
  }

  private static int matchAll(int mask, IntToLongFunction value, int[] to) {
    long first = value.applyAsLong(Integer.numberOfTrailingZeros(mask));
    boolean same = true;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      same &= (mask >>> lane & 1) == 0 || value.applyAsLong(lane) == first;
    }
    fill(mask, same ? mask : 0, to);
    return same ? mask : 0;
  }

  /** Elects the lowest lane. */
  public static int elect(Warp w, int mask, int[] leader) {
    int elected = Integer.lowestOneBit(mask);
    fill(mask, Integer.numberOfTrailingZeros(mask), leader);
    return elected;
  }
}
