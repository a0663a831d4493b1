package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code mma.sp} against the product of the dense matrix that its operands stand for. Values are small integers, so
 * that every sum is exact; fragments and metadata are laid out here once more, from the tables of the PTX ISA.
 */
class SparseMmaTest {
  private static final int[][] PAIRS = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

  /** How a type is kept in registers. */
  private record Format(int bits, IntToDoubleFunction value, int[] encodings) {
    static Format of(String type) {
      return switch (type) {
        case "f16" -> new Format(16, b -> Float.float16ToFloat((short) b), floats(16, Float::floatToFloat16));
        case "bf16" -> new Format(16, b -> Float.intBitsToFloat(b << 16),
            floats(16, f -> Float.floatToRawIntBits(f) >>> 16));
        case "tf32" -> new Format(32, Float::intBitsToFloat, floats(32, Float::floatToRawIntBits));
        default -> integers(type.charAt(0) == 's', Integer.parseInt(type.substring(1)));
      };
    }

    private interface Encode {
      int bits(float value);
    }

    private static int[] floats(int bits, Encode encode) {
      int[] all = new int[17];
      for (int v = -8; v <= 8; v++) all[v + 8] = encode.bits(v) & (bits == 32 ? -1 : 0xFFFF);
      return all;
    }

    private static Format integers(boolean signed, int bits) {
      int[] all = new int[1 << bits];
      for (int v = 0; v < all.length; v++) all[v] = v;
      return new Format(bits, b -> signed && b >= 1 << bits - 1 ? b - (1 << bits) : b, all);
    }

    int each() {
      return 32 / bits;
    }
  }

  private final Random random = new Random(7);

  /** Row-major elements as the fragment of A, or, by columns of 8, of B. */
  private static int[] fragment(int[][] lines, Format f) {
    int each = f.each();
    boolean tall = lines.length == 16;
    int registers = lines.length * lines[0].length / 32 / each;
    int[] words = new int[32 * registers];
    for (int lane = 0; lane < 32; lane++) {
      for (int r = 0; r < registers; r++) {
        int line = lane / 4 + (tall ? r % 2 * 8 : 0);
        int step = tall ? r / 2 : r;
        for (int e = 0; e < each; e++) {
          words[lane * registers + r] |= lines[line][(lane % 4 + 4 * step) * each + e] << e * f.bits();
        }
      }
    }
    return words;
  }

  @ParameterizedTest
  @CsvSource({"m16n8k16,f32,f16,0", "m16n8k16,f32,bf16,3", "m16n8k32,f32,f16,1", "m16n8k32,f32,bf16,0",
      "m16n8k8,f32,tf32,2", "m16n8k16,f32,tf32,1", "m16n8k32,s32,s8,1", "m16n8k32,s32,u8,0", "m16n8k64,s32,s8,0",
      "m16n8k64,s32,s4,1", "m16n8k64,s32,u4,0", "m16n8k128,s32,s4,0"})
  void sparseProductsEqualDenseOnes(String shape, String sum, String type, int selector) {
    var f = Format.of(type);
    int k = Integer.parseInt(shape.substring(6));
    int stored = k / 2;
    boolean single = type.equals("tf32");
    int run = f.bits() == 4 ? 2 : 1;
    int chunk = single ? 2 : 4 * run;
    int[][] kept = new int[16][stored];
    int[][] b = new int[8][k];
    double[][] dense = new double[16][k];
    long[] metadata = new long[16];
    for (var column : b) for (int d = 0; d < k; d++) column[d] = f.encodings()[random.nextInt(f.encodings().length)];
    for (int row = 0; row < 16; row++) {
      for (int c = 0; c < k / chunk; c++) {
        int[] pair = single ? random.nextBoolean() ? new int[] {0, 1} : new int[] {2, 3}
            : PAIRS[random.nextInt(PAIRS.length)];
        long nibble = pair[0] | pair[1] << 2;
        metadata[row] |= nibble << 4 * c;
        int count = single ? 1 : 2 * run;
        for (int s = 0; s < count; s++) {
          int bits = f.encodings()[random.nextInt(f.encodings().length)];
          int position = single ? pair[0] / 2 : pair[s / run] * run + s % run;
          kept[row][c * count + s] = bits;
          dense[row][c * chunk + position] = f.value().applyAsDouble(bits);
        }
      }
    }
    int bitsARow = single ? 4 * stored : stored * 2 / run;
    int[] lanes = metadata(metadata, bitsARow, selector, sum.equals("s32"));
    int[] d = execute("mma.sp::ordered_metadata.sync.aligned." + shape + ".row.col." + sum + "." + type + "." + type
        + "." + sum, fragment(kept, f), fragment(b, f), lanes, selector);
    for (int row = 0; row < 16; row++) {
      for (int column = 0; column < 8; column++) {
        double want = 0;
        for (int e = 0; e < k; e++) want += dense[row][e] * f.value().applyAsDouble(b[column][e]);
        int got = d[(row % 8 * 4 + column / 2) * 4 + row / 8 * 2 + column % 2];
        assertEquals(want, sum.equals("s32") ? got : Float.intBitsToFloat(got), row + "," + column);
      }
    }
  }

  private int[] metadata(long[] rows, int bits, int selector, boolean integers) {
    int[] lanes = random.ints(32).toArray();
    for (int row = 0; row < 8; row++) {
      int first = 4 * row + selector * (bits / 16) % 4;
      for (int at = 0; at < bits; at += integers ? 32 : 16) {
        if (integers) {
          lanes[first + at / 16] = (int) (rows[row] >>> at);
          lanes[first + at / 16 + 1] = (int) (rows[row + 8] >>> at);
        } else {
          lanes[first + at / 16] = (int) (rows[row] >>> at & 0xFFFF | (rows[row + 8] >>> at & 0xFFFF) << 16);
        }
      }
    }
    return lanes;
  }

  private static String load(int buffer, int count, int first) {
    var text = new StringBuilder("mul.lo.u32 %r60, %t, " + 4 * count + ";\ncvt.u64.u32 %l0, %r60;\nadd.s64 %l0, %l0, %p"
        + buffer + ";\n");
    for (int i = 0; i < count; i++) text.append("ld.global.u32 %r").append(first + i).append(", [%l0+").append(4 * i)
        .append("];\n");
    return text.toString();
  }

  private static String registers(int first, int count) {
    var text = new StringBuilder("{%r" + first);
    for (int i = 1; i < count; i++) text.append(",%r").append(first + i);
    return text.append('}').toString();
  }

  private static int[] execute(String instruction, int[] a, int[] b, int[] metadata, int selector) {
    int[] d = new int[128];
    int aCount = a.length / 32;
    int bCount = b.length / 32;
    var body = load(0, aCount, 0) + load(1, bCount, 10) + load(2, 1, 20) + """
        mov.u32 %r30, 0; mov.u32 %r31, 0; mov.u32 %r32, 0; mov.u32 %r33, 0;
        """ + instruction + " {%r30,%r31,%r32,%r33}, " + registers(0, aCount) + ", " + registers(10, bCount)
        + ", {%r30,%r31,%r32,%r33}, %r20, " + selector + """
        ;
        mul.wide.u32 %l1, %t, 16;
        add.s64 %l1, %l1, %p3;
        st.global.v4.u32 [%l1], {%r30,%r31,%r32,%r33};
        """;
    assertEquals(List.of(), Kernels.run(Kernels.kernel(4, body), 32, Kernels.PLAIN, a, b, metadata, d).findings());
    return d;
  }
}
