package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.simulator.tmem.AccessShape;

/** Loads and stores of every shape move each cell between where the shape says and the registers, and nothing else. */
class TensorTransferTest {
  private static final int THREADS = 128;
  private static final int COLUMNS = 128;
  private static final long SEED = 11;

  /** Each warp's own lanes get lane << 16 | column in all columns. */
  private static String fill() {
    var text = new StringBuilder("  shl.b32 %r1, %t, 16;\n  shl.b32 %r2, %w, 21;\n  add.u32 %r2, %r2, %tm;\n");
    for (int c = 0; c < COLUMNS; c++) text.append("  add.u32 %v" + c + ", %r1, " + c + ";\n");
    return text + "  tcgen05.st.sync.aligned.32x32b.x" + COLUMNS + ".b32 [%r2], " + Blackwell.vector("%v", COLUMNS)
        + ";\n  tcgen05.wait::st.sync.aligned;\n";
  }

  /** Writes the thread's registers to its part of the buffer. */
  private static String spill(int registers) {
    var text = new StringBuilder("  mul.wide.u32 %l1, %t, " + 4 * registers + ";\n  add.u64 %l1, %l1, %p0;\n");
    for (int r = 0; r < registers; r++) text.append("  st.global.b32 [%l1+" + 4 * r + "], %v" + r + ";\n");
    return text.toString();
  }

  private static int cell(int lane, int column) {
    return lane << 16 | column;
  }

  @ParameterizedTest
  @CsvSource({"32x32b, 1, 0", "32x32b, 128, 0", "16x64b, 1, 0", "16x64b, 16, 16", "16x64b, 64, 0", "16x128b, 1, 16",
      "16x128b, 32, 0", "16x256b, 1, 0", "16x256b, 4, 16", "16x256b, 16, 0", "16x32bx2, 1, 0", "16x32bx2, 32, 16"})
  void aLoadTakesWhatItsShapeNames(String name, int repeats, int lane) {
    var shape = AccessShape.parse(name).orElseThrow();
    int n = shape.registers(repeats);
    var ptx = Blackwell.kernel(1, "", Blackwell.allocate(COLUMNS) + fill()
        + "  add.u32 %r2, %r2, " + (lane << 16) + ";\n"
        + "  tcgen05.ld.sync.aligned." + name + ".x" + repeats + ".b32 " + Blackwell.vector("%v", n) + ", [%r2]"
        + (shape.split() ? ", 64" : "") + ";\n  tcgen05.wait::ld.sync.aligned;\n" + spill(n) + Blackwell.free(COLUMNS));
    var out = new int[THREADS * n];
    var result = Blackwell.run(ptx, 1, 1, THREADS, 16, Blackwell.PLAIN, out);
    assertEquals(List.of(), result.findings());
    for (int t = 0; t < THREADS; t++) {
      for (int r = 0; r < n; r++) {
        int expected = cell(t / 32 * 32 + lane + shape.lane(t % 32, r), shape.column(t % 32, r, 64));
        assertEquals(expected, out[t * n + r], "thread " + t + " register " + r);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"32x32b, 4, 0", "16x64b, 2, 16", "16x128b, 8, 0", "16x256b, 2, 16", "16x32bx2, 8, 0"})
  void aStoreGoesWhereItsShapeNames(String name, int repeats, int lane) {
    var shape = AccessShape.parse(name).orElseThrow();
    int n = shape.registers(repeats);
    var body = new StringBuilder(Blackwell.allocate(COLUMNS)).append(fill()).append("  mul.lo.u32 %r3, %t, 1000;\n");
    for (int r = 0; r < n; r++) body.append("  add.u32 %v" + r + ", %r3, " + (0x40000000 + r) + ";\n");
    body.append("  add.u32 %r4, %r2, " + (lane << 16) + ";\n  tcgen05.st.sync.aligned." + name + ".x" + repeats
        + ".b32 [%r4], " + (shape.split() ? "32, " : "") + Blackwell.vector("%v", n)
        + ";\n  tcgen05.wait::st.sync.aligned;\n  tcgen05.ld.sync.aligned.32x32b.x" + COLUMNS + ".b32 "
        + Blackwell.vector("%v", COLUMNS) + ", [%r2];\n  tcgen05.wait::ld.sync.aligned;\n" + spill(COLUMNS)
        + Blackwell.free(COLUMNS));
    var out = new int[THREADS * COLUMNS];
    assertEquals(List.of(),
        Blackwell.run(Blackwell.kernel(1, "", body.toString()), 1, 1, THREADS, 16, Blackwell.PLAIN, out).findings());
    var expected = new int[THREADS * COLUMNS];
    for (int l = 0; l < THREADS; l++) for (int c = 0; c < COLUMNS; c++) expected[l * COLUMNS + c] = cell(l, c);
    for (int t = 0; t < THREADS; t++) {
      for (int r = 0; r < n; r++) {
        int at = (t / 32 * 32 + lane + shape.lane(t % 32, r)) * COLUMNS + shape.column(t % 32, r, 32);
        expected[at] = t * 1000 + 0x40000000 + r;
      }
    }
    for (int i = 0; i < expected.length; i++) assertEquals(expected[i], out[i], "lane " + i / COLUMNS + ", " + i);
  }

  static Stream<Arguments> reductions() {
    return Stream.of("max.f32", "min.f32", "max.NaN.f32", "min.NaN.f32", "max.abs.f32", "min.abs.NaN.f32", "max.s32",
        "min.s32", "max.u32", "min.u32").flatMap(name -> Stream.of(Arguments.of(name, "32x32b", 32, ""),
            Arguments.of(name, "16x32bx2", 8, ", 64"), Arguments.of(name, "32x32b", 2, "")));
  }

  /** Every reduction of numbers of both signs, zeros, infinities and NaNs, beside its definition. */
  @ParameterizedTest
  @MethodSource("reductions")
  void aLoadReducesTheColumnsOfEachThread(String name, String shape, int columns, String split) {
    var random = new SplittableRandom(SEED);
    int n = columns + 1;
    var in = new int[THREADS * COLUMNS];
    for (int i = 0; i < in.length; i++) {
      in[i] = switch (random.nextInt(40)) {
        case 0 -> Float.floatToRawIntBits(Float.NaN);
        case 1 -> Float.floatToRawIntBits(Float.NEGATIVE_INFINITY);
        case 2 -> Integer.MIN_VALUE;
        case 3 -> 0;
        default -> Float.floatToRawIntBits((float) random.nextGaussian());
      };
    }
    var loads = new StringBuilder("  mul.wide.u32 %l2, %t, " + 4 * COLUMNS + ";\n  add.u64 %l2, %l2, %p1;\n");
    for (int c = 0; c < COLUMNS; c++) loads.append("  ld.global.b32 %v" + c + ", [%l2+" + 4 * c + "];\n");
    var ptx = Blackwell.kernel(2, "", Blackwell.allocate(COLUMNS) + loads + "  shl.b32 %r2, %w, 21;\n"
        + "  add.u32 %r2, %r2, %tm;\n  tcgen05.st.sync.aligned.32x32b.x" + COLUMNS + ".b32 [%r2], "
        + Blackwell.vector("%v", COLUMNS) + ";\n  tcgen05.wait::st.sync.aligned;\n  tcgen05.ld.red.sync.aligned."
        + shape + ".x" + columns + "." + name + " " + Blackwell.vector("%v", columns) + ", %v" + columns + ", [%r2]"
        + split + ";\n  tcgen05.wait::ld.sync.aligned;\n" + spill(n) + Blackwell.free(COLUMNS))
        .replace("sm_100a", "sm_103a");
    var out = new int[THREADS * n];
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, THREADS, 16, Blackwell.SANITIZED, out, in).findings());
    for (int t = 0; t < THREADS; t++) {
      var loaded = Arrays.copyOfRange(out, t * n, t * n + columns);
      for (int c = 0; c < columns; c++) {
        boolean second = !split.isEmpty() && t % 32 >= 16;
        int at = (second ? t - 16 : t) * COLUMNS + c + (second ? 64 : 0);
        assertEquals(in[at], loaded[c], "seed " + SEED + ", thread " + t + ", column " + c);
      }
      assertEquals(reduced(name, loaded), out[t * n + columns], "seed " + SEED + ", thread " + t);
    }
  }

  /** The least or largest by its order; numbers in FP64, of which that of two zeros with the least sign is less. */
  private static int reduced(String name, int[] bits) {
    boolean largest = name.startsWith("max");
    if (!name.endsWith("f32")) {
      Comparator<Integer> order = name.endsWith("u32") ? Integer::compareUnsigned : Integer::compare;
      return Arrays.stream(bits).boxed().max(largest ? order : order.reversed()).orElseThrow();
    }
    var all = Arrays.stream(bits).mapToDouble(b -> name.contains("abs") ? Math.abs(Float.intBitsToFloat(b))
        : Float.intBitsToFloat(b)).toArray();
    var numbers = Arrays.stream(all).filter(x -> !Double.isNaN(x)).boxed().toList();
    boolean isNan = numbers.isEmpty() || name.contains("NaN") && numbers.size() < all.length;
    return isNan ? 0x7FFFFFFF : Float.floatToRawIntBits((largest ? Collections.max(numbers) : Collections.min(numbers))
        .floatValue());
  }

  @ParameterizedTest
  @CsvSource({"32x32b, 1, 1", "16x64b, 2, 2"})
  void aReductionOfOneColumnOrAnotherShapeIsRefused(String shape, int repeats, int registers) {
    var ptx = Blackwell.kernel(0, "", Blackwell.allocate(32) + "  tcgen05.ld.red.sync.aligned." + shape + ".x" + repeats
        + ".max.f32 " + Blackwell.vector("%f", registers) + ", %f9, [%tm];\n" + Blackwell.free(32))
        .replace("sm_100a", "sm_103a");
    var refusal = assertThrows(RuntimeException.class,
        () -> Blackwell.runUnassembled(ptx, 1, 1, THREADS, 16, Blackwell.PLAIN));
    assertTrue(refusal.getMessage().contains("from .x2 on"), refusal.getMessage());
  }

  @Test
  void packedLoadsJoinTheLowerHalvesOfNeighbours() {
    var ptx = Blackwell.kernel(1, "", Blackwell.allocate(COLUMNS) + fill()
        + "  tcgen05.ld.sync.aligned.16x256b.x2.pack::16b.b32 " + Blackwell.vector("%v", 8)
        + ", [%r2];\n  tcgen05.wait::ld.sync.aligned;\n" + spill(8) + Blackwell.free(COLUMNS));
    var out = new int[THREADS * 8];
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, THREADS, 16, Blackwell.PLAIN, out).findings());
    for (int t = 0; t < THREADS; t++) {
      for (int r = 0; r < 8; r++) {
        int first = 2 * AccessShape.LANES_16_BITS_256.column(t % 32, r, 0);
        assertEquals(first | first + 1 << 16, out[t * 8 + r], "thread " + t + " register " + r);
      }
    }
  }

  @Test
  void unpackedStoresSpreadTheHalves() {
    var ptx = Blackwell.kernel(1, "", Blackwell.allocate(COLUMNS) + fill() + """
          add.u32 %v0, %t, 0x12340000;
          add.u32 %v1, %t, 0x56780000;
          tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%r2], {%v0, %v1};
          tcgen05.wait::st.sync.aligned;
          tcgen05.ld.sync.aligned.32x32b.x8.b32 {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}, [%r2];
          tcgen05.wait::ld.sync.aligned;
        """ + spill(8) + Blackwell.free(COLUMNS));
    var out = new int[THREADS * 8];
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, THREADS, 16, Blackwell.PLAIN, out).findings());
    for (int t = 0; t < THREADS; t++) {
      int[] expected = {t, 0x1234, t, 0x5678, cell(t, 4), cell(t, 5), cell(t, 6), cell(t, 7)};
      for (int r = 0; r < 8; r++) assertEquals(expected[r], out[t * 8 + r], "thread " + t + " register " + r);
    }
  }

  @Test
  void singlePrecisionRegistersHoldTheSameBits() {
    var ptx = Blackwell.kernel(1, "", Blackwell.allocate(32) + """
          cvt.rn.f32.u32 %f0, %t;
          shl.b32 %r2, %w, 21;
          add.u32 %r2, %r2, %tm;
          tcgen05.st.sync.aligned.32x32b.x1.b32 [%r2+5], {%f0};
          tcgen05.wait::st.sync.aligned;
          tcgen05.ld.sync.aligned.32x32b.x1.b32 {%f1}, [%r2+5];
          tcgen05.wait::ld.sync.aligned;
          mul.f32 %f1, %f1, 0f40000000;
          mul.wide.u32 %l1, %t, 4;
          add.u64 %l1, %l1, %p0;
          st.global.f32 [%l1], %f1;
        """ + Blackwell.free(32));
    var out = new float[THREADS];
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, THREADS, 16, Blackwell.PLAIN, out).findings());
    for (int t = 0; t < THREADS; t++) assertEquals(2f * t, out[t]);
  }
}
