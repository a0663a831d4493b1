package tilewright.simulator.core;

import java.util.Arrays;

/** The numbers that bulk instructions take, by slot, which are more than one call into the machine can carry. */
public final class BulkOperands {
  /** Slots: coordinates, offsets of im2col, destination CTAs, bytes, byte mask. */
  public static final int COORDINATES = 0;
  public static final int OFFSETS = 5;
  public static final int CTAS = 8;
  public static final int BYTES = 9;
  public static final int BYTE_MASK = 10;
  private static final int SLOTS = 11;

  private final int[][] values = new int[SLOTS][Warp.LANES];

  /** Sets a slot. */
  public static void put(Warp w, int mask, int[] value, int slot) {
    System.arraycopy(value, 0, w.bulk.values[slot], 0, Warp.LANES);
  }

  public int value(int slot, int lane) {
    return values[slot][lane];
  }

  public int[] values(int slot, int count, int lane) {
    var numbers = new int[count];
    Arrays.setAll(numbers, k -> values[slot + k][lane]);
    return numbers;
  }
}
