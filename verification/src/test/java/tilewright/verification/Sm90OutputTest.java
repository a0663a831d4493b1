package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.Sm90Gemms;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.GemmCases;

/**
 * What the Hopper GEMM writes where C lies in a larger matrix: all of its elements, and nothing beside them. Operands
 * are small integers, whose sums are exact in every type's arithmetic.
 */
class Sm90OutputTest {
  private static final int OFFSET = 16;
  /** The byte in memory that no kernel writes; no result of 8 bits equals it. */
  private static final byte UNTOUCHED = (byte) 0xA5;

  /** A(i, k), likewise B(j, k). */
  private static int operand(long row, long k) {
    return (int) ((3 * row + 5 * k) % 5) - 2;
  }

  private static double sum(GemmProblem p, int row, int column) {
    double sum = 0;
    for (int k = 0; k < p.k(); k++) sum += operand(row, k) * operand(column, k);
    return sum;
  }

  private static MemorySegment operands(ElementType type, int rows, int depth) {
    var view = GemmCases.view(type, Map.of("X", Buffers.zeros(type, (long) rows * depth)),
        Matrix.rowMajor("X", rows, depth), rows, depth, 1);
    for (int i = 0; i < rows * depth; i++) view.set(i, operand(i % rows, i / rows));
    return view.data();
  }

  private static GemmProblem problem(ElementType operand, ElementType output, int m, int n, int k, boolean byRows,
      int stride) {
    var p = GemmProblem.packed(operand, output, m, n, k, 1, "TN");
    var c = byRows ? new Matrix("C", OFFSET, stride, 1, 0) : new Matrix("C", OFFSET, 1, stride, 0);
    return new GemmProblem(p.types(), m, n, k, 1, p.a(), p.b(), c, 1, 0);
  }

  private static Map<String, MemorySegment> run(GemmProblem p, PreparedLaunch launch,
      Map<String, MemorySegment> more) {
    var buffers = new HashMap<>(more);
    buffers.put("A", operands(p.types().a(), p.m(), p.k()));
    buffers.put("B", more.getOrDefault("weights", operands(p.types().b(), p.n(), p.k())));
    buffers.put("C", untouched(p.output(), p.c(), p.m(), p.n()));
    var result = Simulator.load(launch.kernel().module())
        .run(launch.on(buffers), SimulatorOptions.defaults().withSanitizer(true).withSeed(1));
    assertEquals(List.of(), result.findings());
    return buffers;
  }

  private static MemorySegment untouched(ElementType type, Matrix matrix, int rows, int columns) {
    long last = (rows - 1) * matrix.rowStride() + (columns - 1) * matrix.columnStride();
    return MemorySegment.ofArray(new byte[Math.toIntExact(matrix.offset() + (last + 1) * type.bytes() + OFFSET)])
        .fill(UNTOUCHED);
  }

  private interface Expected {
    double at(int row, int column);
  }

  private static void check(ElementType type, Matrix matrix, int m, int n, Map<String, MemorySegment> buffers,
      Expected expected) {
    var view = GemmCases.view(type, buffers, matrix, m, n, 1);
    var written = new HashSet<Long>();
    for (int i = 0; i < m * n; i++) {
      // Zeros of either sign are equal.
      assertEquals(0.0 + type.round(expected.at(i % m, i / m)), 0.0 + view.value(i),
          matrix.buffer() + " at " + i % m + ", " + i / m);
      long at = matrix.offset() + view.layout().apply(i) * type.bytes();
      for (int b = 0; b < type.bytes(); b++) written.add(at + b);
    }
    for (long i = 0; i < view.data().byteSize(); i++) {
      if (!written.contains(i)) assertEquals(UNTOUCHED, view.data().get(ValueLayout.JAVA_BYTE, i), "byte " + i);
    }
  }

  /** Rows, or columns, whose last 16 bytes are of C only in part, aligned or not, in every kind of tile and type. */
  @ParameterizedTest
  @CsvSource({"BF16, BF16, 70, 67, true, 72, 128x128x1", "BF16, BF16, 70, 67, true, 67, 128x128x2",
      "F16, F32, 70, 66, true, 68, 128x128x1-in-turn", "F16, F32, 67, 70, false, 72, 128x128x1",
      "BF16, BF16, 13, 67, true, 72, 64x16x1-split2-transposed", "BF16, BF16, 13, 67, true, 67, 64x16x1-transposed",
      "BF16, BF16, 13, 67, true, 72, 64x16x1-split4-transposed",
      "F16, F32, 13, 67, true, 68, 64x16x1-split8-transposed",
      "BF16, BF16, 96, 130, true, 136, 64x96x2-split4-transposed",
      "BF16, F32, 70, 67, true, 72, 128x128x1-shared-tail", "BF16, E4M3, 5, 66, false, 16, 64x8x1-transposed",
      "E4M3, BF16, 70, 67, true, 72, 128x128x1", "TF32, F32, 70, 67, true, 68, 128x128x1",
      "I8, I32, 70, 67, true, 68, 128x128x1", "I8, I32, 67, 70, false, 68, 128x128x1",
      "I8, I32, 68, 70, false, 68, 128x128x1", "I8, BF16, 70, 67, true, 72, 128x128x1", "I8, F32, 64, 64, true, 64, "
      + "128x128x1", "BF16, BF16, 1, 3, true, 3, 128x128x1"})
  void onlyElementsOfCAreWritten(ElementType operand, ElementType output, int m, int n, boolean byRows, int stride,
      String tile) {
    var p = problem(operand, output, m, n, 208, byRows, stride);
    var buffers = run(p, Sm90Gemms.prepare(p, Sm90Gemms.configure(p, tile)), Map.of());
    check(output, p.c(), m, n, buffers, (row, column) -> sum(p, row, column));
  }

  /** One that copies store, of wider elements than C; one that begins between 16 bytes; one that runs along m. */
  @ParameterizedTest
  @CsvSource({"I8, F32, 128, 1, 0, 128x256x2", "BF16, F32, 129, 1, 4, 128x128x1", "BF16, BF16, 1, 80, 0, 128x128x1"})
  void whatIsStoredBesideMayLieElsewhere(ElementType output, ElementType type, int rowStride, int columnStride,
      int offset, String tile) {
    var p = problem(ElementType.BF16, output, 72, 128, 40, true, 128);
    var tree = Epilogue.accumulator().store("Z", type).times(Epilogue.constant(-1)).convert(output);
    var z = new Matrix("Z", (long) offset * type.bytes(), rowStride, columnStride, 0);
    var given = EpilogueArguments.packed(tree, p).with("Z", z.argument(72, 128, 1));
    var buffers = run(p, Sm90Gemms.prepare(p, Sm90Gemms.configure(p, tile), given),
        Map.of("Z", untouched(type, z, 72, 128)));
    check(output, p.c(), 72, 128, buffers, (row, column) -> -sum(p, row, column));
    check(type, z, 72, 128, buffers, (row, column) -> sum(p, row, column));
  }

  /** Integers by a factor for each row and column, and others added. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void productsOfIntegersAreScaledAndAdded(boolean pairs) {
    int n = pairs ? 80 : 79;
    var p = problem(ElementType.I8, ElementType.BF16, 72, n, 208, true, 80);
    var tree = Epilogue.accumulator().times(Epilogue.rowBias("rows", ElementType.F32))
        .plus(Epilogue.source("R", ElementType.I8).times(Epilogue.columnBias("columns", ElementType.I8)))
        .convert(ElementType.BF16);
    var rows = MemorySegment.ofArray(new float[72]);
    for (int i = 0; i < 72; i++) rows.setAtIndex(ValueLayout.JAVA_FLOAT, i, i % 2 == 0 ? 0.5f : -2);
    var columns = operands(ElementType.I8, n, 1);
    var launch = Sm90Gemms.prepare(p, EpilogueArguments.packed(tree, p));
    var buffers = run(p, launch, Map.of("rows", rows, "columns", columns, "R", operands(ElementType.I8, 72, n)));
    check(ElementType.BF16, p.c(), 72, n, buffers, (row, column) -> sum(p, row, column) * (row % 2 == 0 ? 0.5 : -2)
        + operand(row, column) * operand(column, 0));
  }

  /** Of as many bits as C, but not of its type: D's stages cannot hold it. */
  @Test
  void aMatrixOfAnotherTypeOf16BitsIsAddedAsWhatItIs() {
    var p = problem(ElementType.BF16, ElementType.F16, 72, 64, 40, true, 64);
    var tree = Epilogue.accumulator().plus(Epilogue.source("R", ElementType.BF16)).convert(ElementType.F16);
    var buffers = run(p, Sm90Gemms.prepare(p, EpilogueArguments.packed(tree, p)),
        Map.of("R", operands(ElementType.BF16, 72, 64)));
    check(ElementType.F16, p.c(), 72, 64, buffers, (row, column) -> sum(p, row, column) + operand(row, column));
  }

  /** Copied, or fetched by threads. */
  @ParameterizedTest
  @ValueSource(ints = {64, 65})
  void aGroupThatThereIsNotHasZeros(int k) {
    var p = problem(ElementType.BF16, ElementType.BF16, 256, 40, k, true, 40);
    var buffers = run(p, new GroupedGemm(p, Grouping.CONTIGUOUS, 1).prepare(),
        Map.of("groups", MemorySegment.ofArray(new int[] {1, 0})));
    check(ElementType.BF16, p.c(), 256, 40, buffers,
        (row, column) -> row < GroupedGemm.ROWS ? 0 : sum(p, row, column));
  }

  /** Copied, stored by threads alone, or fetched by them too; groups are empty, short, of whole blocks, and longer. */
  @ParameterizedTest
  @CsvSource({"64,72,72", "128,320,328", "64,72,75", "65,40,40"})
  void raggedGroupsLeaveEachOthersRowsAlone(int k, int n, int stride) {
    int[] ends = {0, 1, 131, 195, 195, 395, 523, 524};
    int m = 600;
    var p = problem(ElementType.BF16, ElementType.BF16, m, n, k, true, stride);
    var buffers = run(p, new GroupedGemm(p, Grouping.RAGGED, ends.length).prepare(), Map.of("ends",
        MemorySegment.ofArray(ends), "weights", operands(ElementType.BF16, n * ends.length, k)));
    check(ElementType.BF16, p.c(), ends[ends.length - 1], n, buffers, (row, column) -> {
      int group = 0;
      while (ends[group] <= row) group++;
      double sum = 0;
      for (int i = 0; i < k; i++) sum += operand(row, i) * operand((long) group * n + column, i);
      return sum;
    });
  }

  /** There are no scales to read. */
  @Test
  void aMixedProductOfNothingIsZero() {
    var types = new GemmTypes(ElementType.E4M3, ElementType.BF16, ElementType.BF16, Accumulation.SCALED);
    var p = GemmProblem.packed(types, 72, 24, 0, 1, "TN");
    var buffers = run(p, MixedGemm.packed(p).prepare(), Map.of("SA", MemorySegment.ofArray(new float[0])));
    check(ElementType.BF16, p.c(), 72, 24, buffers, (_, _) -> 0);
  }
}
