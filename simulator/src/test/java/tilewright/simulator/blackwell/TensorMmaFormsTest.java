package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.Finding;
import tilewright.simulator.Kernels;

/** What multiplications do beside multiplying: signs, majorness, lanes, scales, sparsity, masks, integers. */
class TensorMmaFormsTest {
  private static final int F32 = 1 << 4;
  private static final int S32 = 2 << 4;
  private static final String MMA = "tcgen05.mma.cta_group::1.kind::f16 [%tm], %l10, %l11, %r10, ";

  private static SmallProduct halves(long... more) {
    var p = SmallProduct.halves(more);
    p.putA();
    p.putB();
    p.putD();
    return p;
  }

  @Test
  void withoutTheAccumulatorDIsTheProduct() {
    var p = halves();
    p.check(F32, MMA + "%q0;", p::product);
  }

  @Test
  void factorsAreNegated() {
    var a = halves();
    a.check(F32 | 1 << 13, MMA + "%q1;", (row, n) -> a.d[row][n] - a.product(row, n));
    var b = halves();
    b.check(F32 | 1 << 14, MMA + "%q1;", (row, n) -> b.d[row][n] - b.product(row, n));
    var both = halves();
    both.check(F32 | 3 << 13, MMA + "%q1;", (row, n) -> both.d[row][n] + both.product(row, n));
  }

  @Test
  void theAccumulatorIsScaledFirst() {
    var p = halves();
    for (var row : p.d) for (int n = 0; n < row.length; n++) row[n] *= 8;
    p.putD();
    p.check(F32, MMA + "%q1, 3;", (row, n) -> p.d[row][n] / 8 + p.product(row, n));
  }

  @Test
  void disabledLanesKeepTheirValue() {
    var p = halves();
    int[] masks = {0x0000_0001, 0xFFFF_0000, 0x1234_5678, 0x8000_0000};
    var text = new StringBuilder();
    for (int i = 0; i < 4; i++) text.append("  mov.b32 %r" + (12 + i) + ", " + masks[i] + ";\n");
    p.check(F32, text + MMA + "{%r12, %r13, %r14, %r15}, %q1;", (row, n) ->
        p.d[row][n] + ((masks[row / 32] >>> row % 32 & 1) != 0 ? 0 : p.product(row, n)));
  }

  @Test
  void signedAndUnsignedBytes() {
    var p = new SmallProduct(32, 32, 8, v -> v & 0xFF, v -> v);
    for (var row : p.b) for (int k = 0; k < row.length; k++) row[k] += 252;
    p.putA();
    p.putB();
    p.putD();
    p.check(S32 | 1 << 7, "tcgen05.mma.cta_group::1.kind::i8 [%tm], %l10, %l11, %r10, %q1;",
        (row, n) -> p.d[row][n] + p.product(row, n));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void integersWrapOrSaturate(boolean saturate) {
    var p = new SmallProduct(32, 32, 8, v -> v & 0xFF, v -> v);
    for (int row = 0; row < SmallProduct.M; row++) {
      java.util.Arrays.fill(p.d[row], row % 2 == 0 ? Integer.MAX_VALUE - 5 : Integer.MIN_VALUE + 5);
    }
    p.putA();
    p.putB();
    p.putD();
    p.check(S32 | 1 << 7 | 1 << 10 | (saturate ? 8 : 0),
        "tcgen05.mma.cta_group::1.kind::i8 [%tm], %l10, %l11, %r10, %q1;", (row, n) -> {
          long sum = (long) p.d[row][n] + p.product(row, n);
          return saturate ? Math.clamp(sum, Integer.MIN_VALUE, Integer.MAX_VALUE) : (int) sum;
        });
  }

  /** Rows of 64 elements of A or B lie along 128 bytes, chunks exchanged by the step of depth. */
  private static void putTransposed(byte[] memory, int base, int[][] matrix) {
    for (int i = 0; i < matrix.length; i++) {
      for (int k = 0; k < matrix[0].length; k++) {
        int half = Float.floatToFloat16(matrix[i][k]);
        int at = base + i / 64 * 2048 + k / 8 * 1024 + k % 8 * 128 + (i % 64 / 8 ^ k % 8) * 16 + i % 8 * 2;
        memory[at] = (byte) half;
        memory[at + 1] = (byte) (half >>> 8);
      }
    }
  }

  @Test
  void bothFactorsMayBeTransposed() {
    var p = SmallProduct.halves(TensorMachine.descriptor(0, 2048, 1024, 2),
        TensorMachine.descriptor(SmallProduct.B_AT, 2048, 1024, 2));
    putTransposed(p.machine.shared, 0, p.a);
    putTransposed(p.machine.shared, SmallProduct.B_AT, p.b);
    p.putD();
    p.check(F32 | 3 << 15, "tcgen05.mma.cta_group::1.kind::f16 [%tm], %l12, %l13, %r10, %q1;",
        (row, n) -> p.d[row][n] + p.product(row, n));
  }

  /** A of halves in columns 64 to 71. */
  private static void putTensorA(SmallProduct p) {
    for (int row = 0; row < SmallProduct.M; row++) {
      for (int k = 0; k < 16; k++) {
        p.machine.tensor[TensorMachine.cell(0, row, 64 + k / 2)] |=
            (Float.floatToFloat16(p.a[row][k]) & 0xFFFF) << 16 * (k % 2);
      }
    }
  }

  @Test
  void aShiftedDownByOneRow() {
    var p = halves();
    putTensorA(p);
    p.check(F32, """
          add.u32 %r11, %tm, 64;
          tcgen05.mma.cta_group::1.kind::f16.ashift [%tm], [%r11], %l11, %r10, %q1;
        """,
        (row, n) -> p.d[row][n] + p.product(Math.max(0, row - 1), n));
  }

  @Test
  void aShiftInTensorMemoryComesBeforeTheProductThatFollows() {
    var p = halves();
    putTensorA(p);
    var before = p.machine.tensor.clone();
    var result = p.machine.run("  mov.b32 %r10, " + (F32 | 8 << 24 | 4 << 17) + ";\n  add.u32 %r11, %tm, 0x200040;\n"
        + "  tcgen05.shift.cta_group::1.down [%r11];\n  add.u32 %r11, %tm, 64;\n"
        + "  tcgen05.mma.cta_group::1.kind::f16 [%tm], [%r11], %l11, %r10, %q1;", Blackwell.PLAIN);
    assertEquals(List.of(), result.findings());
    for (int row = 0; row < SmallProduct.M; row++) {
      int source = row > 32 && row < 64 ? row - 1 : row;
      for (int c = 64; c < 72; c++) {
        assertEquals(before[TensorMachine.cell(0, source, c)], p.machine.tensor[TensorMachine.cell(0, row, c)]);
      }
      for (int n = 0; n < SmallProduct.N; n++) {
        assertEquals(p.d[row][n] + p.product(source, n),
            Float.intBitsToFloat(p.machine.tensor[TensorMachine.cell(0, row, n)]));
      }
    }
  }

  @Test
  void columnsOfAMaskCountAsZeros() {
    // Runs of two columns that count and of three that do not, from the second of the first run on.
    long mask = 1 | 1L << 39 | 2L << 40 | 1L << 48;
    var p = new SmallProduct(16, 16, 16, v -> Float.floatToFloat16(v) & 0xFFFF, v -> Float.floatToRawIntBits(v), mask);
    p.putA();
    p.putB();
    var result = p.machine.run("  mov.b32 %r10, " + (F32 | 8 << 24 | 8 << 17) + ";\n"
        + "  tcgen05.mma.ws.cta_group::1.kind::f16 [%tm], %l10, %l11, %r10, %q0, %l12;", Blackwell.PLAIN);
    assertEquals(List.of(), result.findings());
    for (int row = 0; row < SmallProduct.M; row++) {
      for (int n = 0; n < SmallProduct.N; n++) {
        int expected = (n + 1) % 5 < 2 ? p.product(row, n) : 0;
        assertEquals(expected, Float.intBitsToFloat(p.machine.tensor[TensorMachine.cell(0, row, n)]), row + ", " + n);
      }
    }
  }

  /** Two of every four elements of each row are stored; which, the metadata in columns 64 and on says. */
  private static void sparse(int depthOfA, int bits, SmallProduct.Encoding encoding, boolean integer, int selector,
      String kind, int descriptor) {
    var p = new SmallProduct(depthOfA, 2 * depthOfA, bits, encoding, v -> integer ? v : Float.floatToRawIntBits(v));
    p.putA();
    p.putB();
    p.putD();
    var random = new Random(bits);
    int[][] positions = new int[SmallProduct.M][depthOfA];
    int[] nibbles = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
    for (int row = 0; row < SmallProduct.M; row++) {
      for (int chunk = 0; chunk < 16 / (bits / 8 > 1 ? 2 : 1); chunk++) {
        int nibble = bits == 32 ? random.nextBoolean() ? 0x4 : 0xE : nibbles[random.nextInt(nibbles.length)];
        int lane = row;
        int bit = 4 * chunk;
        if (bits > 8) {
          // Half of the chunks of rows eight apart share a lane.
          lane = row / 16 * 16 + 8 * (chunk / 4) + row % 8;
          bit = 16 * (row / 8 % 2) + 4 * (chunk % 4);
        }
        p.machine.tensor[TensorMachine.cell(0, lane, 64 + selector + bit / 32)] |= nibble << bit % 32;
        if (bits == 32) {
          positions[row][chunk] = 2 * chunk + (nibble == 0x4 ? 0 : 1);
        } else {
          positions[row][2 * chunk] = 4 * chunk + (nibble & 3);
          positions[row][2 * chunk + 1] = 4 * chunk + (nibble >>> 2);
        }
      }
    }
    p.check(descriptor | 4 | selector, "  add.u32 %r11, %tm, 64;\n  tcgen05.mma.sp.cta_group::1.kind::" + kind
        + " [%tm], %l10, %l11, [%r11], %r10, %q1;", (row, n) -> {
          int sum = p.d[row][n];
          for (int k = 0; k < depthOfA; k++) sum += p.a[row][k] * p.b[n][positions[row][k]];
          return sum;
        });
  }

  @ParameterizedTest
  @CsvSource({"0", "1"})
  void sparseHalves(int selector) {
    sparse(16, 16, v -> Float.floatToFloat16(v) & 0xFFFF, false, selector, "f16", F32);
  }

  @Test
  void sparseSingles() {
    sparse(8, 32, v -> Float.floatToRawIntBits(v), false, 1, "tf32", F32 | 2 << 7 | 2 << 10);
  }

  @Test
  void sparseBytes() {
    sparse(32, 8, v -> v & 0xFF, true, 0, "i8", S32 | 1 << 7 | 1 << 10);
  }

  @Test
  void aCollectorBufferIsUsedForWhatItWasFilledWith() {
    var p = halves();
    var fill = "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [%tm], %l10, %l11, %r10, %q1;\n";
    var use = "tcgen05.mma.cta_group::1.kind::f16.collector::a::lastuse [%tm], %l10, %l11, %r10, %q1;\n";
    p.check(F32, fill + use, (row, n) -> p.d[row][n] + 2 * p.product(row, n));
    var wrong = halves();
    var result = wrong.machine.run("  mov.b32 %r10, " + (F32 | 8 << 24 | 4 << 17) + ";\n" + fill + use + use,
        Blackwell.PLAIN);
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("collector buffer that was not filled"));
  }
}
