package tilewright.simulator.tensorcore;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A matrix operand in shared memory: the addresses of its sixteen-byte runs, found once, and its elements as words. */
public final class SharedOperand {
  private static final int RUN_BYTES = 16;
  private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  private final boolean depthMajor;
  private final int run;
  private final int runs;
  /** By row of the layout, then by run along it. */
  private final int[] addresses;

  /**
   * @param outer rows of A or columns of B; a multiple of the layout's run if they lie along its rows
   * @param depth steps, likewise
   */
  public SharedOperand(MatrixLayout layout, int outer, int depth) {
    depthMajor = layout.depthMajor();
    run = layout.run();
    int across = depthMajor ? outer : depth;
    runs = (depthMajor ? depth : outer) / run;
    addresses = new int[across * runs];
    for (int i = 0; i < across; i++) {
      for (int j = 0; j < runs; j++) {
        addresses[i * runs + j] = depthMajor ? layout.address(i, j * run) : layout.address(j * run, i);
      }
    }
  }

  /** The addresses of all runs of sixteen bytes. */
  public int[] addresses() {
    return addresses;
  }

  /**
   * The addresses of the runs that hold some of the rows or columns; where those lie along the runs, a multiple of
   * {@link MatrixLayout#run}.
   */
  public int[] addresses(int first, int count) {
    if (depthMajor) return java.util.Arrays.copyOfRange(addresses, first * runs, (first + count) * runs);
    int each = count / run;
    int[] some = new int[addresses.length / runs * each];
    for (int i = 0; i < some.length; i++) some[i] = addresses[i / each * runs + first / run + i % each];
    return some;
  }

  /**
   * Reads {@code count} rows or columns from {@code first} on, multiples of the run if they lie along it, as words by
   * depth: of floating-point types as {@link Factors} holds them, of integers their values, of bits 32 at a time.
   */
  public void read(byte[] memory, int first, int count, MmaType type, int[][] words) {
    int across = depthMajor ? count : addresses.length / runs;
    int along = depthMajor ? runs : count / run;
    int[] table = type.bits() == Byte.SIZE ? ByteWords.of(type) : new int[0];
    for (int i = 0; i < across; i++) {
      for (int j = 0; j < along; j++) {
        int address = depthMajor ? addresses[(first + i) * runs + j] : addresses[i * runs + first / run + j];
        if (depthMajor) {
          int depth = type == MmaType.B1 ? j * RUN_BYTES / Integer.BYTES : j * run;
          switch (type.bits()) {
            case 16 -> halvesDown(memory, address, type == MmaType.BF16, words, depth, i);
            case 8 -> bytesDown(memory, address, table, words, depth, i);
            default -> wordsDown(memory, address, type == MmaType.TF32 ? Factors.TF32_BITS : -1, words, depth, i);
          }
        } else {
          switch (type.bits()) {
            case 16 -> halvesAlong(memory, address, type == MmaType.BF16, words[i], j * run);
            case 8 -> bytesAlong(memory, address, table, words[i], j * run);
            default -> wordsAlong(memory, address, type == MmaType.TF32 ? Factors.TF32_BITS : -1, words[i], j * run);
          }
        }
      }
    }
  }

  private static void halvesDown(byte[] memory, int address, boolean bf16, int[][] words, int depth, int column) {
    for (int e = 0; e < RUN_BYTES / Integer.BYTES; e++) {
      int pair = (int) INT.get(memory, address + Integer.BYTES * e);
      words[depth + 2 * e][column] = bf16 ? pair << 16 : Factors.halfWord(pair);
      words[depth + 2 * e + 1][column] = bf16 ? pair & 0xFFFF_0000 : Factors.halfWord(pair >>> 16);
    }
  }

  private static void halvesAlong(byte[] memory, int address, boolean bf16, int[] row, int column) {
    for (int e = 0; e < RUN_BYTES / Short.BYTES; e++) {
      int half = (short) SHORT.get(memory, address + Short.BYTES * e);
      row[column + e] = bf16 ? half << 16 : Factors.halfWord(half);
    }
  }

  private static void bytesDown(byte[] memory, int address, int[] table, int[][] words, int depth, int column) {
    for (int e = 0; e < RUN_BYTES; e++) words[depth + e][column] = table[memory[address + e] & 0xFF];
  }

  private static void bytesAlong(byte[] memory, int address, int[] table, int[] row, int column) {
    for (int e = 0; e < RUN_BYTES; e++) row[column + e] = table[memory[address + e] & 0xFF];
  }

  private static void wordsAlong(byte[] memory, int address, int mask, int[] row, int column) {
    for (int e = 0; e < RUN_BYTES / Integer.BYTES; e++) {
      row[column + e] = (int) INT.get(memory, address + Integer.BYTES * e) & mask;
    }
  }

  private static void wordsDown(byte[] memory, int address, int mask, int[][] words, int depth, int column) {
    for (int e = 0; e < RUN_BYTES / Integer.BYTES; e++) {
      words[depth + e][column] = (int) INT.get(memory, address + Integer.BYTES * e) & mask;
    }
  }
}
