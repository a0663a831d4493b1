package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.simulator.Fp4Model;

/**
 * Block scales are taken from where their layout says. Products, scales and sums are such that every sum is exact, so
 * that both models agree and the definition is a sum of FP64.
 */
class TensorScaleTest {
  private static final int N = 64;
  private static final int A_SCALES = 32768;
  private static final int B_SCALES = 33280;
  private static final float[] E2M1 = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};

  /** A kind with what makes its elements. */
  private record Kind(String name, String size, int scales, int bits, int depth, boolean ue4m3) {
    int perScale() {
      return depth / scales;
    }
  }

  private static Kind kind(String name, String size, boolean ue4m3) {
    int scales = switch (size) {
      case "block16", "scale_vec::4X" -> 4;
      case "scale_vec::1X" -> 1;
      default -> name.equals("mxf8f6f4") ? 1 : 2;
    };
    boolean four = !name.equals("mxf8f6f4");
    return new Kind(name, size, scales, four ? 4 : 8, four ? 64 : 32, ue4m3);
  }

  /** Small e4m3 or e2m1 numbers. */
  private static float value(Kind kind, int bits) {
    if (kind.bits == 4) return (bits & 8) != 0 ? -E2M1[bits & 7] : E2M1[bits & 7];
    float magnitude = (1 + (bits & 7) / 8f) * (float) Math.scalb(1.0, (bits >> 3 & 15) - 7);
    return (bits & 0x80) != 0 ? -magnitude : magnitude;
  }

  private static int element(Kind kind, Random random) {
    return kind.bits == 4 ? random.nextInt(16)
        : random.nextInt(2) << 7 | 6 + random.nextInt(3) << 3 | random.nextInt(8);
  }

  private static int scale(Kind kind, Random random) {
    return kind.ue4m3 ? 6 + random.nextInt(3) << 3 | random.nextInt(8) : 125 + random.nextInt(5);
  }

  private static double scaleValue(Kind kind, int bits) {
    return kind.ue4m3 ? (1 + (bits & 7) / 8.0) * Math.scalb(1.0, (bits >> 3) - 7) : Math.scalb(1.0, bits - 127);
  }

  private static void put(byte[] memory, int base, int row, int k, int bits, int element) {
    put(memory, base, row, k, bits, element, 256);
  }

  /** Groups of eight rows stand so many bytes apart. */
  private static void put(byte[] memory, int base, int row, int k, int bits, int element, int stride) {
    int bit = k * bits;
    int at = base + row / 8 * stride + bit / 128 * 128 + row % 8 * 16 + bit % 128 / 8;
    memory[at] |= (byte) (element << bit % 8);
  }

  /** Four scales a row of 128 rows: sixteen bytes for each of 32 rows, of which every word is 32 rows later. */
  private static void putScale(byte[] memory, int base, int row, int index, int bits) {
    memory[base + row % 32 * 16 + row / 32 * 4 + index] = (byte) bits;
  }

  private static void check(Kind kind, int ctas, int id, Fp4Model model) {
    var random = new Random(kind.hashCode() + id);
    int rows = 128 * ctas;
    var machine = new TensorMachine(ctas, 34816, TensorMachine.descriptor(0, 128, 256, 0),
        TensorMachine.descriptor(16384, 128, 256, 0), TensorMachine.descriptor(A_SCALES, 128, 128, 0),
        TensorMachine.descriptor(B_SCALES, 128, 128, 0));
    var a = new int[rows][kind.depth];
    var b = new int[N][kind.depth];
    var aScale = new int[rows][kind.scales];
    var bScale = new int[N][kind.scales];
    for (int row = 0; row < rows; row++) {
      int cta = row / 128 * machine.sharedBytes();
      for (int k = 0; k < kind.depth; k++) {
        put(machine.shared, cta, row % 128, k, kind.bits, a[row][k] = element(kind, random));
      }
      for (int s = 0; s < kind.scales; s++) {
        putScale(machine.shared, cta + A_SCALES, row % 128, id + s, aScale[row][s] = scale(kind, random));
      }
    }
    for (int n = 0; n < N; n++) {
      int cta = n / (N / ctas) * machine.sharedBytes();
      for (int k = 0; k < kind.depth; k++) {
        put(machine.shared, cta + 16384, n % (N / ctas), k, kind.bits, b[n][k] = element(kind, random));
      }
      for (int s = 0; s < kind.scales; s++) {
        bScale[n][s] = scale(kind, random);
        for (int c = 0; c < ctas; c++) {
          putScale(machine.shared, c * machine.sharedBytes() + B_SCALES, n, id + s, bScale[n][s]);
        }
      }
    }
    for (int i = 0; i < machine.tensor.length; i++) {
      machine.tensor[i] = Float.floatToRawIntBits(random.nextInt(64) - 32);
    }
    var before = machine.tensor.clone();
    int descriptor = (kind.bits == 4 ? 1 << 7 | 1 << 10 : 0) | N / 8 << 17 | ctas << 27 | (kind.ue4m3 ? 0 : 1 << 23)
        | id << 4 | id << 29;
    var result = machine.run("""
          mov.b32 %r10, DESCRIPTOR;
          add.u32 %r11, %tm, 200;
          add.u32 %r12, %tm, 208;
          tcgen05.cp.GROUP.32x128b.warpx4 [%r11], %l12;
          tcgen05.cp.GROUP.32x128b.warpx4 [%r12], %l13;
          tcgen05.mma.GROUP.kind::KIND.block_scaleSIZE [%tm], %l10, %l11, %r10, [%r11], [%r12], %q1;
        """.replace("DESCRIPTOR", String.valueOf(descriptor)).replace("GROUP", "cta_group::" + ctas)
        .replace("KIND", kind.name).replace("SIZE", kind.size.isEmpty() ? "" : "." + kind.size),
        Blackwell.PLAIN.withFp4Model(model).withSeed(id));
    assertEquals(List.of(), result.findings());
    for (int row = 0; row < rows; row++) {
      for (int n = 0; n < N; n++) {
        int cell = TensorMachine.cell(row / 128, row % 128, n);
        double sum = Float.intBitsToFloat(before[cell]);
        for (int k = 0; k < kind.depth; k++) {
          sum += (double) value(kind, a[row][k]) * value(kind, b[n][k])
              * scaleValue(kind, aScale[row][k / kind.perScale()]) * scaleValue(kind, bScale[n][k / kind.perScale()]);
        }
        assertEquals((float) sum, Float.intBitsToFloat(machine.tensor[cell]), row + ", " + n);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"mxf8f6f4, '', 1, 0", "mxf8f6f4, block32, 1, 1", "mxf8f6f4, scale_vec::1X, 2, 3", "mxf8f6f4, '', 2, 2",
      "mxf4, '', 1, 0", "mxf4, scale_vec::2X, 1, 2", "mxf4, block32, 2, 0", "mxf4nvf4, block16, 1, 0",
      "mxf4nvf4, scale_vec::4X, 2, 0", "mxf4nvf4, scale_vec::2X, 1, 2", "mxf4nvf4, block32, 2, 2"})
  void powersOfTwo(String name, String size, int ctas, int id) {
    check(kind(name, size, false), ctas, id, Fp4Model.SF_TENSOR);
  }

  /** Of A half is stored; of every four or, in pairs, every eight elements the metadata names two. */
  @ParameterizedTest
  @CsvSource({"mxf8f6f4, block32, false", "mxf4, block32, false", "mxf4nvf4, block16, true"})
  void sparse(String name, String size, boolean ue4m3) {
    var kind = kind(name, size, ue4m3);
    var random = new Random(name.hashCode());
    var machine = new TensorMachine(1, 34816, TensorMachine.descriptor(0, 128, 256, 0),
        TensorMachine.descriptor(16384, 128, 512, 0), TensorMachine.descriptor(A_SCALES, 128, 128, 0),
        TensorMachine.descriptor(B_SCALES, 128, 128, 0));
    int run = kind.bits == 4 ? 2 : 1;
    int[] nibbles = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
    var dense = new float[128][2 * kind.depth];
    var b = new float[N][2 * kind.depth];
    var aScale = new int[128][kind.scales];
    var bScale = new int[N][kind.scales];
    for (int row = 0; row < 128; row++) {
      for (int chunk = 0; chunk < 16; chunk++) {
        int nibble = nibbles[random.nextInt(nibbles.length)];
        machine.tensor[TensorMachine.cell(0, row, 300 + chunk / 8)] |= nibble << 4 * (chunk % 8);
        for (int i = 0; i < 2 * run; i++) {
          int element = element(kind, random);
          put(machine.shared, 0, row, 2 * run * chunk + i, kind.bits, element);
          int index = (i < run ? nibble : nibble >> 2) & 3;
          dense[row][4 * run * chunk + run * index + i % run] = value(kind, element);
        }
      }
      for (int s = 0; s < kind.scales; s++) {
        putScale(machine.shared, A_SCALES, row, s, aScale[row][s] = scale(kind, random));
      }
    }
    for (int n = 0; n < N; n++) {
      for (int k = 0; k < 2 * kind.depth; k++) {
        int element = element(kind, random);
        put(machine.shared, 16384, n, k, kind.bits, element, 512);
        b[n][k] = value(kind, element);
      }
      for (int s = 0; s < kind.scales; s++) {
        putScale(machine.shared, B_SCALES, n, s, bScale[n][s] = scale(kind, random));
      }
    }
    int descriptor = (kind.bits == 4 ? 1 << 7 | 1 << 10 : 0) | N / 8 << 17 | 1 << 27 | (ue4m3 ? 0 : 1 << 23) | 4;
    var result = machine.run("""
          mov.b32 %r10, DESCRIPTOR;
          add.u32 %r11, %tm, 200;
          add.u32 %r12, %tm, 208;
          add.u32 %r13, %tm, 300;
          tcgen05.cp.cta_group::1.32x128b.warpx4 [%r11], %l12;
          tcgen05.cp.cta_group::1.32x128b.warpx4 [%r12], %l13;
          tcgen05.mma.sp.cta_group::1.kind::KIND [%tm], %l10, %l11, [%r13], %r10, [%r11], [%r12], %q0;
        """.replace("DESCRIPTOR", String.valueOf(descriptor)).replace("KIND", name + ".block_scale." + size),
        Blackwell.PLAIN);
    assertEquals(List.of(), result.findings());
    for (int row = 0; row < 128; row++) {
      for (int n = 0; n < N; n++) {
        double sum = 0;
        for (int k = 0; k < 2 * kind.depth; k++) {
          sum += (double) dense[row][k] * b[n][k] * scaleValue(kind, aScale[row][k / (2 * kind.perScale())])
              * scaleValue(kind, bScale[n][k / (2 * kind.perScale())]);
        }
        assertEquals((float) sum, Float.intBitsToFloat(machine.tensor[TensorMachine.cell(0, row, n)]), row + ", " + n);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Fp4Model.class)
  void fractionsInFourBitKinds(Fp4Model model) {
    check(kind("mxf4nvf4", "block16", true), 1, 0, model);
    check(kind("mxf4", "", false), 1, 2, model);
  }
}
