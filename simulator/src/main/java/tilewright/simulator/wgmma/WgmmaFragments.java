package tilewright.simulator.wgmma;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tensorcore.Factors;
import tilewright.simulator.tensorcore.MmaType;

/**
 * The registers of one warp's quarter of a {@code wgmma}: sixteen rows of D, and of A if that is not in shared memory
 * (PTX ISA, Register Fragments and Shared Memory Matrix Layouts). Lane l holds rows l/4 and l/4+8 and, of eight
 * columns, two.
 */
final class WgmmaFragments {
  private static final int A_REGISTERS = 4;
  private static final int HALF_ROWS = 8;

  /** The registers of D: each is in one of these two arrays, by the type of the PTX register. */
  final float[][] floats;
  final int[][] ints;
  final int[][] a = new int[A_REGISTERS][];
  int[] metadata = {};

  WgmmaFragments(int registers) {
    floats = new float[registers][];
    ints = new int[registers][];
  }

  /** The arrays of all registers, for those who know registers by them. */
  List<Object> registers() {
    return Stream.of(floats, ints, a, new int[][] {metadata}).flatMap(Arrays::stream).filter(Objects::nonNull)
        .map(Object.class::cast).toList();
  }

  boolean isMetadata(Object register) {
    return metadata == register;
  }

  boolean isSum(Object register) {
    for (var lanes : floats) if (lanes == register) return true;
    for (var lanes : ints) if (lanes == register) return true;
    return false;
  }

  boolean isFactor(Object register) {
    for (var lanes : a) if (lanes == register) return true;
    return false;
  }

  /** Reads single sums of {@code columns} columns from {@code first} on into rows of a tile. */
  void readSingles(float[][] sums, int row, int first, int columns) {
    for (int r = first / 2; r < (first + columns) / 2; r++) {
      int top = row + (r & 2) * (HALF_ROWS / 2);
      int column = (r >> 2) * HALF_ROWS + (r & 1) - first;
      float[] from = floats[r];
      for (int lane = 0; lane < Warp.LANES; lane++) {
        sums[top + (lane >> 2)][column + 2 * (lane & 3)] = from != null ? from[lane]
            : Float.intBitsToFloat(ints[r][lane]);
      }
    }
  }

  void writeSingles(float[][] sums, int row, int first, int columns) {
    for (int r = first / 2; r < (first + columns) / 2; r++) {
      int top = row + (r & 2) * (HALF_ROWS / 2);
      int column = (r >> 2) * HALF_ROWS + (r & 1) - first;
      float[] to = floats[r];
      for (int lane = 0; lane < Warp.LANES; lane++) {
        float sum = sums[top + (lane >> 2)][column + 2 * (lane & 3)];
        if (to != null) {
          to[lane] = sum;
        } else {
          ints[r][lane] = Float.floatToRawIntBits(sum);
        }
      }
    }
  }

  void readHalves(float[][] sums, int row, int first, int columns) {
    for (int r = first / 4; r < (first + columns) / 4; r++) {
      int top = row + (r & 1) * HALF_ROWS;
      int column = (r >> 1) * HALF_ROWS - first;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        int pair = bits(r, lane);
        float[] to = sums[top + (lane >> 2)];
        to[column + 2 * (lane & 3)] = Conversions.fromF16(pair & 0xFFFF);
        to[column + 2 * (lane & 3) + 1] = Conversions.fromF16(pair >>> 16);
      }
    }
  }

  void writeHalves(float[][] sums, int row, int first, int columns) {
    for (int r = first / 4; r < (first + columns) / 4; r++) {
      int top = row + (r & 1) * HALF_ROWS;
      int column = (r >> 1) * HALF_ROWS - first;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        float[] from = sums[top + (lane >> 2)];
        set(r, lane, HalfMath.packF16(from[column + 2 * (lane & 3) + 1], from[column + 2 * (lane & 3)]));
      }
    }
  }

  void readIntegers(int[][] sums, int row, int first, int columns) {
    for (int r = first / 2; r < (first + columns) / 2; r++) {
      int top = row + (r & 2) * (HALF_ROWS / 2);
      int column = (r >> 2) * HALF_ROWS + (r & 1) - first;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        sums[top + (lane >> 2)][column + 2 * (lane & 3)] = bits(r, lane);
      }
    }
  }

  void writeIntegers(int[][] sums, int row, int first, int columns) {
    for (int r = first / 2; r < (first + columns) / 2; r++) {
      int top = row + (r & 2) * (HALF_ROWS / 2);
      int column = (r >> 2) * HALF_ROWS + (r & 1) - first;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        set(r, lane, sums[top + (lane >> 2)][column + 2 * (lane & 3)]);
      }
    }
  }

  private int bits(int register, int lane) {
    return ints[register] != null ? ints[register][lane] : Float.floatToRawIntBits(floats[register][lane]);
  }

  private void set(int register, int lane, int bits) {
    if (ints[register] != null) {
      ints[register][lane] = bits;
    } else {
      floats[register][lane] = Float.intBitsToFloat(bits);
    }
  }

  /** Reads A as words by depth, its first row at {@code row}. */
  void readA(MmaType type, int[][] words, int row) {
    int each = type == MmaType.B1 ? 1 : type.perRegister();
    for (int r = 0; r < A_REGISTERS; r++) {
      int top = row + (r & 1) * HALF_ROWS;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        int depth = ((lane & 3) + 4 * (r >> 1)) * each;
        for (int e = 0; e < each; e++) words[depth + e][top + (lane >> 2)] = word(a[r][lane], e, type);
      }
    }
  }

  private static int word(int register, int index, MmaType type) {
    return switch (type) {
      case B1 -> register;
      case F16, BF16, TF32, E4M3, E5M2 -> Factors.word(
          register >>> index * type.bits() & (int) ((1L << type.bits()) - 1), type);
      default -> type.integer(register, index);
    };
  }
}
