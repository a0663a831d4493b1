package tilewright.simulator.core;

import java.util.Arrays;

/**
 * Works out which bits of one operation's result come, in one lane, from memory that nobody had written. Watched code
 * calls it before the operation: {@code begin}, its operands, then the result.
 */
public final class UndefinedFlow {
  private static final int INPUTS = 3;

  /** Where the first undefined bits came from. */
  private UnwrittenValues.Origin origin;
  private long taken;
  /** Whether bits go to places that are undefined themselves. */
  private boolean astray;
  /** The operands of a bitwise function. */
  private final long[] values = new long[INPUTS];
  private final long[] undefined = new long[INPUTS];
  private int inputs;

  public static void begin(Warp w) {
    var f = w.flow;
    f.origin = null;
    f.taken = 0;
    f.astray = false;
    f.inputs = 0;
    Arrays.fill(f.values, 0);
    Arrays.fill(f.undefined, 0);
  }

  /** The operation reads a register. */
  public static void take(Warp w, int lane, int register) {
    w.flow.taken |= w.flow.read(w, lane, register);
  }

  /** By a register it decides where bits go. */
  public static void steer(Warp w, int lane, int register) {
    if (w.flow.read(w, lane, register) != 0) w.flow.astray = true;
  }

  /** Whether anything taken is undefined. */
  public static boolean any(Warp w) {
    return w.flow.taken != 0;
  }

  private long read(Warp w, int lane, int register) {
    long bits = w.unwritten.bits(lane, register);
    if (bits != 0 && origin == null) origin = w.unwritten.origin(lane, register);
    return bits;
  }

  /** A result of which each part is undefined that has an undefined bit in an operand. */
  public static void give(Warp w, int lane, int to, int width, int part) {
    var f = w.flow;
    long bits = f.taken;
    if (part == Long.SIZE) {
      bits = bits == 0 ? 0 : -1;
    } else {
      long ones = (1L << part) - 1;
      for (int shift = 0; shift < Long.SIZE; shift += part) if ((bits >>> shift & ones) != 0) bits |= ones << shift;
    }
    f.put(w, lane, to, width, bits);
  }

  public static long bits(Warp w, int lane, int register) {
    return w.unwritten.bits(lane, register);
  }

  /** A result whose undefined bits are these. */
  public static void become(long bits, Warp w, int lane, int to, int width) {
    w.flow.put(w, lane, to, width, w.flow.astray ? -1 : bits);
  }

  /** An operand of a bitwise function; register -1 stands for one that is defined. */
  public static void operand(long value, Warp w, int lane, int register) {
    var f = w.flow;
    f.values[f.inputs] = value;
    f.undefined[f.inputs++] = register < 0 ? 0 : f.read(w, lane, register);
  }

  /** An operand of one bit that stands in each place. */
  public static void condition(long value, Warp w, int lane, int register) {
    operand(value, w, lane, register);
    var f = w.flow;
    if (f.undefined[f.inputs - 1] != 0) f.undefined[f.inputs - 1] = -1;
  }

  /** A bit is undefined if the function can be 0 and 1 there for what the undefined bits may be. */
  public static void logic(Warp w, int lane, int to, int width, int table) {
    var f = w.flow;
    long zero = 0;
    long one = 0;
    for (int row = 0; row < 1 << INPUTS; row++) {
      long possible = -1;
      for (int k = 0; k < INPUTS; k++) {
        boolean set = (row >>> INPUTS - 1 - k & 1) != 0;
        possible &= (set ? f.values[k] : ~f.values[k]) | f.undefined[k];
      }
      if ((table >>> row & 1) != 0) {
        one |= possible;
      } else {
        zero |= possible;
      }
    }
    f.put(w, lane, to, width, zero & one);
  }

  private void put(Warp w, int lane, int to, int width, long bits) {
    long kept = width == Long.SIZE ? bits : bits & (1L << width) - 1;
    w.unwritten.put(w, lane, to, kept, origin);
  }
}
