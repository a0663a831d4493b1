package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.simulator.Fp4Model;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;

/**
 * Multiplications of 96 elements of four bits on SM103, of each 48 bytes of swizzled rows of 384 and of rows without a
 * swizzle, with scales from words side by side. Every sum is exact, so that the definition is a sum of FP64.
 */
class TensorDeepTest {
  private static final int ROWS = 128;
  private static final int DEPTH = 96;
  /** Instructions of 384 bytes of a row. */
  private static final int SLICES = 8;
  private static final int BOX = ROWS * 128;
  private static final int B = 3 * BOX;
  private static final int SCALES_A = 2 * B;
  private static final int TILES = 12;
  private static final int SCALES_B = SCALES_A + TILES * 512;
  private static final double[] E2M1 = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  private static final long SEED = 7;
  private static final SimulatorOptions ULTRA = Blackwell.SANITIZED.withArchitecture(103);

  /** A product of 128×128, of one slice of rows in shared memory. */
  private static final class Product {
    private final TensorMachine machine;
    private final int perRow;
    private final int[][] a = new int[ROWS][SLICES * DEPTH];
    private final int[][] b = new int[ROWS][SLICES * DEPTH];
    private final int[][] scalesA = new int[ROWS][TILES * 4];
    private final int[][] scalesB = new int[ROWS][TILES * 4];

    Product(int perRow, int slice, boolean swizzled) {
      this.perRow = perRow;
      int tile = slice * perRow / 4 * 512;
      machine = new TensorMachine(1, SCALES_B + TILES * 512 + 512, operand(0, slice, swizzled),
          operand(B, slice, swizzled), TensorMachine.descriptor(SCALES_A + tile, 128, 128, 0),
          TensorMachine.descriptor(SCALES_B + tile, 128, 128, 0),
          TensorMachine.descriptor(SCALES_A + tile + 512, 128, 128, 0),
          TensorMachine.descriptor(SCALES_B + tile + 512, 128, 128, 0));
      var random = new SplittableRandom(SEED + slice);
      fill(a, 0, swizzled, random);
      fill(b, B, swizzled, random);
      fillScales(scalesA, SCALES_A, random);
      fillScales(scalesB, SCALES_B, random);
    }

    /** Runs of sixteen bytes from the end of a row of 128 bytes on, else the third, have an address of their own. */
    private static long operand(int at, int slice, boolean swizzled) {
      if (!swizzled) return TensorMachine.descriptor(at + slice * 384, 128, SLICES * 384, 0);
      int left = 128 - 48 * slice % 128;
      long second = place(48 * slice + (left < 48 ? left : 32));
      return TensorMachine.descriptor(at + place(48 * slice), TensorMachine.OPERANDS + at + (int) second, 1024, 2)
          | 1L << 52;
    }

    private static int place(int alongK) {
      return alongK / 128 * BOX + alongK % 128;
    }

    private void fill(int[][] elements, int at, boolean swizzled, SplittableRandom random) {
      for (int row = 0; row < ROWS; row++) {
        for (int k = 0; k < SLICES * DEPTH; k++) {
          elements[row][k] = random.nextInt(16);
          int address = swizzled ? at + row * 128 + place(k / 2)
              : at + row / 8 * SLICES * 384 + k / DEPTH * 384 + k % DEPTH / 32 * 128 + row % 8 * 16 + k % 32 / 2;
          if (swizzled) address ^= (address >> 7 & 7) << 4;
          machine.shared[address] |= (byte) (elements[row][k] << k % 2 * 4);
        }
      }
    }

    private void fillScales(int[][] scales, int at, SplittableRandom random) {
      for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < TILES * 4; i++) {
          scales[row][i] = perRow == 6 ? 6 + random.nextInt(3) << 3 | random.nextInt(8) : 125 + random.nextInt(5);
          machine.shared[at + i / 4 * 512 + row % 32 * 16 + row / 32 * 4 + i % 4] = (byte) scales[row][i];
        }
      }
    }

    private double scale(int bits) {
      return perRow == 6 ? (1 + (bits & 7) / 8.0) * Math.scalb(1.0, (bits >> 3) - 7) : Math.scalb(1.0, bits - 127);
    }

    private static double value(int bits) {
      return (bits & 8) != 0 ? -E2M1[bits & 7] : E2M1[bits & 7];
    }

    SimulationResult run(String kind, int id, SimulatorOptions options) {
      int descriptor = 1 << 7 | 1 << 10 | ROWS / 8 << 17 | 1 << 27 | (perRow == 6 ? 0 : 1 << 23) | id << 4 | id << 29
          | 1 << 31;
      return machine.run("""
            mov.b32 %%r10, %d;
            add.u32 %%r11, %%tm, 200;
            add.u32 %%r12, %%tm, 208;
            add.u32 %%r13, %%tm, 204;
            add.u32 %%r14, %%tm, 212;
            tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r11], %%l12;
            tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r12], %%l13;
            tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r13], %%l14;
            tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r14], %%l15;
            tcgen05.mma.cta_group::1.kind::%s.block_scale.%s [%%tm], %%l10, %%l11, %%r10, [%%r11], [%%r12], %%q0;
          """.formatted(descriptor, kind, perRow == 6 ? "block16" : "block32"), options);
    }

    void check(int slice) {
      for (int row = 0; row < ROWS; row++) {
        for (int n = 0; n < ROWS; n++) {
          double sum = 0;
          for (int k = slice * DEPTH; k < (slice + 1) * DEPTH; k++) {
            int s = k / (DEPTH / perRow);
            sum += value(a[row][k]) * value(b[n][k]) * scale(scalesA[row][s]) * scale(scalesB[n][s]);
          }
          assertEquals((float) sum, Float.intBitsToFloat(machine.tensor[TensorMachine.cell(0, row, n)]),
              "seed " + (SEED + slice) + ": " + row + ", " + n);
        }
      }
    }
  }

  static Stream<Arguments> slices() {
    var swizzled = IntStream.range(0, SLICES).boxed().flatMap(slice -> Stream.of(
        Arguments.of("mxf4nvf4", 6, slice, true), Arguments.of("mxf4", 3, slice, true)));
    return Stream.concat(swizzled, Stream.of(Arguments.of("mxf4nvf4", 3, 1, true),
        Arguments.of("mxf4nvf4", 6, 3, false)));
  }

  @ParameterizedTest
  @MethodSource("slices")
  void everySliceIsMultipliedWithItsScales(String kind, int perRow, int slice, boolean swizzled) {
    var product = new Product(perRow, slice, swizzled);
    var model = Fp4Model.values()[slice % Fp4Model.values().length];
    assertEquals(List.of(), product.run(kind, slice * perRow % 4, ULTRA.withFp4Model(model)).findings());
    product.check(slice);
  }

  @Test
  void anotherArchitectureRefuses() {
    var result = assertThrows(RuntimeException.class, () -> {
      var findings = new Product(6, 0, true).run("mxf4nvf4", 0, Blackwell.SANITIZED).findings();
      throw new IllegalStateException(findings.toString());
    });
    assertTrue(result.getMessage().contains("only sm_103a multiplies 96 deep"), result.getMessage());
  }
}
