package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.numerics.ElementType;
import tilewright.numerics.TensorCoreModel;

/** The simulator's fast tensor cores against the CPU reference's plain model, on raw bits with infinities and NaN. */
class TensorCoresReferenceTest {
  private static final int DEPTH = 16;

  private static int[] pairs(Random random, int n, boolean rareSpecials, int largestField, int fraction) {
    return random.ints(n).map(v -> rareSpecials ? tame(v, largestField, fraction) : v).toArray();
  }

  /** Keeps the bits but makes most infinities and NaN ordinary numbers, so that they do not swallow every sum. */
  private static int tame(int pair, int largestField, int fraction) {
    int result = 0;
    for (int half = 0; half < 32; half += 16) {
      int bits = pair >>> half & 0xFFFF;
      boolean special = (bits >>> fraction & largestField) == largestField;
      if (special && (bits & 0x3F) != 0x15) bits &= ~(1 << fraction);
      result |= bits << half;
    }
    return result;
  }

  @ParameterizedTest
  @CsvSource({"F16,80,true", "BF16,80,true", "F16,90,true", "BF16,90,true", "F16,80,false", "BF16,90,false"})
  void singlePrecisionAccumulatorsAgree(ElementType operand, int architecture, boolean rareSpecials) {
    int fraction = operand == ElementType.F16 ? 10 : 7;
    var type = operand == ElementType.F16 ? "f16" : "bf16";
    var model = TensorCoreModel.mma(architecture, operand, ElementType.F32);
    var random = new Random(architecture);
    for (int round = 0; round < 25; round++) {
      int[] a = pairs(random, 128, rareSpecials, (1 << 15 - fraction) - 1, fraction);
      int[] b = pairs(random, 64, rareSpecials, (1 << 15 - fraction) - 1, fraction);
      int[] c = random.ints(128).toArray();
      int[] d = TensorCoresTest.execute("mma.sync.aligned.m16n8k16.row.col.f32." + type + "." + type + ".f32", 4, 2, 4,
          a, b, c, Kernels.PLAIN.withArchitecture(architecture));
      for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 8; n++) {
          int at = (m % 8 * 4 + n / 2) * 4 + m / 8 * 2 + n % 2;
          assertEquals((int) model.dot(c[at] & 0xFFFF_FFFFL, row(a, m, 4, 16), row(b, n, 2, 8)), d[at], m + "," + n);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"80,true", "90,true", "80,false", "90,false"})
  void halfPrecisionAccumulatorsAgree(int architecture, boolean rareSpecials) {
    var model = TensorCoreModel.mma(architecture, ElementType.F16, ElementType.F16);
    var random = new Random(architecture);
    for (int round = 0; round < 25; round++) {
      int[] a = pairs(random, 128, rareSpecials, 31, 10);
      int[] b = pairs(random, 64, rareSpecials, 31, 10);
      int[] c = pairs(random, 64, rareSpecials, 31, 10);
      int[] d = TensorCoresTest.execute("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, a, b, c,
          Kernels.PLAIN.withArchitecture(architecture));
      for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 8; n++) {
          int at = (m % 8 * 4 + n / 2) * 2 + m / 8;
          long accumulator = c[at] >>> 16 * (n % 2) & 0xFFFF;
          assertEquals((int) model.dot(accumulator, row(a, m, 4, 16), row(b, n, 2, 8)),
              d[at] >>> 16 * (n % 2) & 0xFFFF);
        }
      }
    }
  }

  private static long[] row(int[] fragments, int row, int registers, int rows) {
    long[] values = new long[DEPTH];
    for (int k = 0; k < DEPTH; k++) values[k] = TensorCoresTest.element(fragments, registers, row, k, rows);
    return values;
  }
}
