package tilewright.simulator.memory;

import tilewright.simulator.arithmetic.DoubleNans;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.arithmetic.IntegerMath;
import tilewright.simulator.core.Warp;

/** Read-modify-write of the places that {@link Memory} found, lane after lane. A buffer's own lock makes it atomic. */
public final class Atomics {
  private Atomics() {}

  public static byte[] base(Warp w, int lane) {
    return w.base == Warp.PER_LANE ? w.bases[lane] : w.base;
  }

  /**
   * {@code compare} is the operand, and for CAS the value compared with; {@code swap} is then the new one.
   *
   * @param k the byte within the access
   */
  public static void update32(Warp w, int mask, int op, int k, int[] compare, int[] swap, int[] old) {
    var operation = AtomicOp.at(op);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var base = base(w, lane);
      synchronized (base) {
        int before = (int) Moves.INT.get(base, w.offsets[lane] + k);
        boolean flushes = operation == AtomicOp.ADD_F32 && !isShared(w, base);
        int after = flushes ? addFlush(before, compare[lane])
            : apply(operation, before, compare[lane], swap[lane]);
        Moves.INT.set(base, w.offsets[lane] + k, after);
        old[lane] = before;
      }
    }
  }

  public static void update64(Warp w, int mask, int op, int k, long[] compare, long[] swap, long[] old) {
    var operation = AtomicOp.at(op);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var base = base(w, lane);
      synchronized (base) {
        long before = (long) Moves.LONG.get(base, w.offsets[lane] + k);
        long after = operation == AtomicOp.ADD_F64 && !isShared(w, base) ? DoubleNans.addInL2(before, compare[lane])
            : apply(operation, before, compare[lane], swap[lane]);
        Moves.LONG.set(base, w.offsets[lane] + k, after);
        old[lane] = before;
      }
    }
  }

  public static void update16(Warp w, int mask, int op, int k, int[] compare, int[] swap, int[] old) {
    var operation = AtomicOp.at(op);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var base = base(w, lane);
      synchronized (base) {
        int before = (short) Moves.SHORT.get(base, w.offsets[lane] + k) & 0xFFFF;
        Moves.SHORT.set(base, w.offsets[lane] + k, (short) apply(operation, before, compare[lane], swap[lane]));
        old[lane] = before;
      }
    }
  }

  private static boolean isShared(Warp w, byte[] base) {
    if (base == w.cta.shared) return true;
    for (var cta : w.cta.cluster.ctas) if (base == cta.shared) return true;
    return false;
  }

  /** Sums of FP32 in global memory flush subnormal numbers (PTX ISA, atom). */
  static int addFlush(int a, int b) {
    float sum = FloatMath.flush(Float.intBitsToFloat(a)) + FloatMath.flush(Float.intBitsToFloat(b));
    return Float.floatToRawIntBits(FloatMath.canonical(FloatMath.flush(sum)));
  }

  public static int apply(AtomicOp op, int before, int b, int swap) {
    return switch (op) {
      case ADD -> before + b;
      case MIN_S -> Math.min(before, b);
      case MAX_S -> Math.max(before, b);
      case MIN_U -> IntegerMath.minU(before, b);
      case MAX_U -> IntegerMath.maxU(before, b);
      case AND -> before & b;
      case OR -> before | b;
      case XOR -> before ^ b;
      case EXCH -> b;
      case CAS -> before == b ? swap : before;
      case INC -> Integer.compareUnsigned(before, b) >= 0 ? 0 : before + 1;
      case DEC -> before == 0 || Integer.compareUnsigned(before, b) > 0 ? b : before - 1;
      case ADD_F16 -> HalfMath.addF16(before, b);
      case ADD_BF16 -> HalfMath.addBf16(before, b);
      case ADD_F16X2 -> HalfMath.addF16x2(before, b);
      case ADD_BF16X2 -> HalfMath.addBf16x2(before, b);
      case MIN_F16 -> HalfMath.minF16(before, b);
      case MAX_F16 -> HalfMath.maxF16(before, b);
      case MIN_BF16 -> HalfMath.minBf16(before, b);
      case MAX_BF16 -> HalfMath.maxBf16(before, b);
      case MIN_F16X2 -> HalfMath.minF16x2(before, b);
      case MAX_F16X2 -> HalfMath.maxF16x2(before, b);
      case MIN_BF16X2 -> HalfMath.minBf16x2(before, b);
      case MAX_BF16X2 -> HalfMath.maxBf16x2(before, b);
      case ADD_F32 -> Float.floatToRawIntBits(
          FloatMath.canonical(Float.intBitsToFloat(before) + Float.intBitsToFloat(b)));
      case ADD_F64 -> throw new IllegalArgumentException("f64 has 64 bits");
    };
  }

  public static long apply(AtomicOp op, long before, long b, long swap) {
    return switch (op) {
      case ADD -> before + b;
      case MIN_S -> Math.min(before, b);
      case MAX_S -> Math.max(before, b);
      case MIN_U -> IntegerMath.minU(before, b);
      case MAX_U -> IntegerMath.maxU(before, b);
      case AND -> before & b;
      case OR -> before | b;
      case XOR -> before ^ b;
      case EXCH -> b;
      case CAS -> before == b ? swap : before;
      // In shared memory a loop of ordinary additions; of two NaN, what memory held goes through.
      case ADD_F64 -> Double.doubleToRawLongBits(
          DoubleNans.add(Double.longBitsToDouble(b), Double.longBitsToDouble(before)));
      default -> throw new IllegalArgumentException(op + " has not 64 bits");
    };
  }

  public static void exchange128(Warp w, int mask, long[] low, long[] high, long[] oldLow, long[] oldHigh) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) replace(w, lane, false, 0, 0, low[lane], high[lane], oldLow, oldHigh);
    }
  }

  public static void compareAndSwap128(Warp w, int mask, long[] compareLow, long[] compareHigh, long[] low, long[] high,
      long[] oldLow, long[] oldHigh) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      replace(w, lane, true, compareLow[lane], compareHigh[lane], low[lane], high[lane], oldLow, oldHigh);
    }
  }

  private static void replace(Warp w, int lane, boolean compares, long compareLow, long compareHigh, long low,
      long high, long[] oldLow, long[] oldHigh) {
    var base = base(w, lane);
    int offset = w.offsets[lane];
    synchronized (base) {
      long beforeLow = (long) Moves.LONG.get(base, offset);
      long beforeHigh = (long) Moves.LONG.get(base, offset + Long.BYTES);
      if (!compares || beforeLow == compareLow && beforeHigh == compareHigh) {
        Moves.LONG.set(base, offset, low);
        Moves.LONG.set(base, offset + Long.BYTES, high);
      }
      oldLow[lane] = beforeLow;
      oldHigh[lane] = beforeHigh;
    }
  }
}
