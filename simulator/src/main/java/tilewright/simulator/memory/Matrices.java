package tilewright.simulator.memory;

import tilewright.simulator.core.Warp;

/**
 * {@code ldmatrix} and {@code stmatrix} of 8×8 matrices of 16-bit elements (PTX ISA, ldmatrix): lane i holds row i/4,
 * columns 2(i mod 4) and the next; transposed, column i/4 and those rows.
 */
public final class Matrices {
  private Matrices() {}

  /** Finds the rows: lane 8k+r holds the address of row r of matrix k. */
  public static void rows(Warp w, int mask, int[] address, long displacement, int lanes, int bytes, int access,
      int site) {
    Memory.shared(w, lanes == Warp.LANES ? -1 : (1 << lanes) - 1, address, displacement, bytes, access, site);
  }

  public static void rows(Warp w, int mask, long[] address, long displacement, int lanes, int bytes, int access,
      int site) {
    Memory.shared(w, lanes == Warp.LANES ? -1 : (1 << lanes) - 1, address, displacement, bytes, access, site);
  }

  public static void load(Warp w, int mask, int matrix, int[] to) {
    byte[] shared = w.base;
    int[] offsets = w.offsets;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      to[lane] = (int) Moves.INT.get(shared, offsets[8 * matrix + (lane >> 2)] + 4 * (lane & 3));
    }
  }

  /** Loads rows of 16 numbers of so many bits: lane i holds those from 4(i mod 4) on, each in the low end of a byte. */
  public static void loadPacked(Warp w, int mask, int matrix, int bits, int[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int row = w.offsets[8 * matrix + (lane >> 2)];
      int first = 4 * (lane & 3) * bits;
      // Four numbers fill two or three bytes.
      int field = (int) Moves.INT.get(w.base, row + first / Byte.SIZE);
      int word = 0;
      for (int k = 0; k < 4; k++) word |= (field >>> k * bits & (1 << bits) - 1) << k * Byte.SIZE;
      to[lane] = word;
    }
  }

  public static void loadTransposed(Warp w, int mask, int matrix, int[] to) {
    byte[] shared = w.base;
    int[] offsets = w.offsets;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int row = 8 * matrix + 2 * (lane & 3);
      int column = 2 * (lane >> 2);
      int low = (short) Moves.SHORT.get(shared, offsets[row] + column) & 0xFFFF;
      to[lane] = low | (short) Moves.SHORT.get(shared, offsets[row + 1] + column) << 16;
    }
  }

  public static void store(Warp w, int mask, int matrix, int[] from) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      Moves.INT.set(w.base, w.offsets[8 * matrix + (lane >> 2)] + 4 * (lane & 3), from[lane]);
    }
  }

  public static void storeTransposed(Warp w, int mask, int matrix, int[] from) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int row = 8 * matrix + 2 * (lane & 3);
      int column = 2 * (lane >> 2);
      Moves.SHORT.set(w.base, w.offsets[row] + column, (short) from[lane]);
      Moves.SHORT.set(w.base, w.offsets[row + 1] + column, (short) (from[lane] >>> 16));
    }
  }

  /** {@code movmatrix}: within registers. */
  public static void transpose(Warp w, int mask, int[] from, int[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int row = 2 * (lane & 3);
      int column = lane >> 2;
      int shift = 16 * (column & 1);
      int low = from[4 * row + (column >> 1)] >>> shift & 0xFFFF;
      to[lane] = low | (from[4 * (row + 1) + (column >> 1)] >>> shift) << 16;
    }
  }
}
