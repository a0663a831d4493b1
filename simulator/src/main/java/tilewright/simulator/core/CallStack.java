package tilewright.simulator.core;

import java.util.Arrays;
import tilewright.simulator.Finding.Kind;

/**
 * The stack of a warp's lanes for functions that are not inlined: registers of callers that may run again, and where to
 * return to. The functions' variables are in local memory, in frames between two pointers.
 */
public final class CallStack {
  private static final int FIRST_LENGTH = 32;
  private static final int ALIGNMENT = 16;

  private final long[][] values = new long[Warp.LANES][];
  private final int[] depth = new int[Warp.LANES];

  void reset() {
    Arrays.fill(depth, 0);
  }

  int fingerprint() {
    int sum = Arrays.hashCode(depth);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      for (int k = 0; k < depth[lane]; k++) sum = 31 * sum + Long.hashCode(values[lane][k]);
    }
    return sum;
  }

  private void push(int lane, long value) {
    var stack = values[lane];
    if (stack == null) stack = values[lane] = new long[FIRST_LENGTH];
    if (depth[lane] == stack.length) stack = values[lane] = Arrays.copyOf(stack, 2 * stack.length);
    stack[depth[lane]++] = value;
  }

  private long pop(int lane) {
    return values[lane][--depth[lane]];
  }

  public static void push(Warp w, int mask, int[] from) {
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) w.calls.push(lane, from[lane]);
  }

  public static void push(Warp w, int mask, float[] from) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) w.calls.push(lane, Float.floatToRawIntBits(from[lane]));
    }
  }

  public static void push(Warp w, int mask, long[] from) {
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) w.calls.push(lane, from[lane]);
  }

  public static void push(Warp w, int mask, double[] from) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) w.calls.push(lane, Double.doubleToRawLongBits(from[lane]));
    }
  }

  /** Pushes a predicate, by its position. */
  public static void push(Warp w, int mask, int predicate) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) w.calls.push(lane, w.p[predicate] >>> lane & 1);
    }
  }

  public static void pop(Warp w, int mask, int[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) to[lane] = (int) w.calls.pop(lane);
  }

  public static void pop(Warp w, int mask, float[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) to[lane] = Float.intBitsToFloat((int) w.calls.pop(lane));
    }
  }

  public static void pop(Warp w, int mask, long[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) to[lane] = w.calls.pop(lane);
  }

  public static void pop(Warp w, int mask, double[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) to[lane] = Double.longBitsToDouble(w.calls.pop(lane));
    }
  }

  /** Pops a predicate: the lanes in which it held. */
  public static int pop(Warp w, int mask) {
    int held = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0 && w.calls.pop(lane) != 0) held |= 1 << lane;
    }
    return held;
  }

  /** A call: keeps the caller's pointers and the number of the place to return to. */
  public static void call(Warp w, int mask, long[] frame, long[] stack, int returnTo) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      w.calls.push(lane, frame[lane]);
      w.calls.push(lane, stack[lane]);
      w.calls.push(lane, returnTo);
    }
  }

  /** A function begins: its frame lies where the stack ended. */
  public static void enter(Warp w, int mask, long[] frame, long[] stack, int bytes, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      frame[lane] = stack[lane];
      stack[lane] += bytes;
      requireRoom(w, lane, stack[lane], site);
    }
  }

  private static void requireRoom(Warp w, int lane, long end, int site) {
    int bytes = w.cta.kernel.memory().localBytes();
    if (end < 0 || end > bytes) {
      throw new Fault(Kind.OUT_OF_BOUNDS, site, lane, end,
          w.who(lane) + " overflows its stack: a thread has " + bytes + " bytes of local memory");
    }
  }

  /** A function ends: its caller's pointers come back, and the number of the place to return to. */
  public static void leave(Warp w, int mask, long[] frame, long[] stack, int[] returnTo) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      returnTo[lane] = (int) w.calls.pop(lane);
      stack[lane] = w.calls.pop(lane);
      frame[lane] = w.calls.pop(lane);
    }
  }

  /** The positions of the functions at the addresses. */
  public static void target(Warp w, int mask, long[] address, int functions, int[] to, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      int position = AddressSpace.functionAt(address[lane]);
      if (position < 0 || position >= functions) {
        throw new Fault(Kind.INVALID_OPERATION, site, lane, address[lane],
            w.who(lane) + " calls address 0x" + Long.toHexString(address[lane]) + ", where no function is");
      }
      to[lane] = position;
    }
  }

  /** The function at a called address has no code here, or other parameters. */
  public static void uncallable(Warp w, int mask, int site) {
    int lane = Integer.numberOfTrailingZeros(mask);
    throw new Fault(Kind.INVALID_OPERATION, site, lane, 0,
        w.who(lane) + " calls a function through its address that has no code in the module");
  }

  /** Copies between places in local memory, each given by a base and an offset. */
  public static void copy(Warp w, int mask, long[] from, long fromOffset, long[] to, long toOffset, int bytes,
      int site) {
    int extent = w.cta.kernel.memory().localBytes();
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      long source = from[lane] + fromOffset;
      long target = to[lane] + toOffset;
      requireRoom(w, lane, Math.max(source, target) + bytes, site);
      System.arraycopy(w.local, lane * extent + (int) source, w.local, lane * extent + (int) target, bytes);
      if (w.cta.watch != null) w.cta.watch.copyLocal(w, lane, (int) source, (int) target, bytes);
    }
  }

  /** {@code alloca}: takes so many bytes from the stack. */
  public static void allocate(Warp w, int mask, long[] stack, long[] bytes, int alignment, long[] to, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      long start = stack[lane] + alignment - 1 & -alignment;
      long end = start + (bytes[lane] + ALIGNMENT - 1 & -ALIGNMENT);
      requireRoom(w, lane, bytes[lane] < 0 ? -1 : end, site);
      to[lane] = start;
      stack[lane] = end;
    }
  }
}
