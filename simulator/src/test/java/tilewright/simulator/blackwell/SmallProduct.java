package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;

/**
 * A product of small whole numbers, which every way of adding gives exactly, so that what an instruction does beside
 * multiplying shows: A of 128 rows, B of 32 columns and D, in one CTA. Operands are K-major without swizzle.
 */
final class SmallProduct {
  static final int M = 128;
  static final int N = 32;
  static final int B_AT = 16384;
  static final int SHARED = 32768;

  /** What an element is stored as. */
  interface Encoding {
    int bits(int value);
  }

  final int[][] a;
  final int[][] b;
  final int[][] d = new int[M][N];
  final TensorMachine machine;
  private final int bits;
  private final Encoding encoding;
  private final Encoding result;

  /** @param depthOfA elements of a row that are stored */
  SmallProduct(int depthOfA, int depth, int bits, Encoding encoding, Encoding result, long... more) {
    long[] values = new long[2 + more.length];
    values[0] = TensorMachine.descriptor(0, 128, 128 * depthOfA * bits / 128, 0);
    values[1] = TensorMachine.descriptor(B_AT, 128, 128 * depth * bits / 128, 0);
    System.arraycopy(more, 0, values, 2, more.length);
    machine = new TensorMachine(1, SHARED, values);
    this.bits = bits;
    this.encoding = encoding;
    this.result = result;
    a = new int[M][depthOfA];
    b = new int[N][depth];
    var random = new Random(depth + bits);
    fill(a, random, 3);
    fill(b, random, 3);
    fill(d, random, 50);
  }

  /** Sixteen-bit floats and single sums. */
  static SmallProduct halves(long... more) {
    return new SmallProduct(16, 16, 16, v -> Float.floatToFloat16(v) & 0xFFFF, v -> Float.floatToRawIntBits(v), more);
  }

  private static void fill(int[][] matrix, Random random, int most) {
    for (var row : matrix) for (int k = 0; k < row.length; k++) row[k] = random.nextInt(2 * most + 1) - most;
  }

  /** Puts an element of a K-major matrix without swizzle where its descriptor says. */
  void put(int base, int row, int k, int depth, int element) {
    int bit = bits * k;
    int at = base + row / 8 * (8 * depth * bits / 8) + bit / 128 * 128 + row % 8 * 16 + bit % 128 / 8;
    for (int i = 0; i < bits; i++) {
      if ((element >>> i & 1) != 0) machine.shared[at + (bit % 8 + i) / 8] |= (byte) (1 << (bit % 8 + i) % 8);
    }
  }

  void putA() {
    for (int row = 0; row < M; row++) {
      for (int k = 0; k < a[0].length; k++) put(0, row, k, a[0].length, encoding.bits(a[row][k]));
    }
  }

  void putB() {
    for (int n = 0; n < N; n++) {
      for (int k = 0; k < b[0].length; k++) put(B_AT, n, k, b[0].length, encoding.bits(b[n][k]));
    }
  }

  void putD() {
    for (int row = 0; row < M; row++) {
      for (int n = 0; n < N; n++) machine.tensor[TensorMachine.cell(0, row, n)] = result.bits(d[row][n]);
    }
  }

  /** The product of row and column. */
  int product(int row, int n) {
    int sum = 0;
    for (int k = 0; k < a[0].length; k++) sum += a[row][k] * b[n][k];
    return sum;
  }

  /** What an output should be. */
  interface Expected {
    int value(int row, int n);
  }

  /** Runs an instruction with %r10 as descriptor, and compares all of Tensor Memory. */
  void check(int descriptor, String instruction, Expected expected) {
    var before = machine.tensor.clone();
    var result = machine.run("  mov.b32 %r10, " + (descriptor | M / 16 << 24 | N / 8 << 17) + ";\n" + instruction,
        Blackwell.PLAIN);
    assertEquals(List.of(), result.findings());
    for (int row = 0; row < M; row++) {
      for (int n = 0; n < N; n++) {
        before[TensorMachine.cell(0, row, n)] = this.result.bits(expected.value(row, n));
      }
    }
    for (int i = 0; i < before.length; i++) {
      if (before[i] != machine.tensor[i]) {
        assertEquals(Integer.toHexString(before[i]), Integer.toHexString(machine.tensor[i]),
            "lane " + i / 512 + " column " + i % 512);
      }
    }
  }
}
