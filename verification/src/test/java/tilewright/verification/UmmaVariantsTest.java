package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.TensorTile;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.reference.TensorView;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;
import tilewright.sm100.atom.SparseUmmaAtom;
import tilewright.sm100.atom.TensorCommit;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.atom.TensorMemoryTile;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.atom.UmmaDescriptor;
import tilewright.sm100.atom.WeightStationaryUmmaAtom.Collector;
import tilewright.sm100.atom.WeightStationaryUmmaAtom.Use;
import tilewright.sm100.atom.WeightStationaryUmmaAtom;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** One instruction of each variant of {@code tcgen05.mma}, D = A·Bᵀ, in small whole numbers: every sum is exact. */
class UmmaVariantsTest {
  private static final int LANES = TensorMemory.LANES;
  /** Where metadata, or A in Tensor Memory, begins. */
  private static final int BESIDE = 256;
  private static final int WORDS = 16;
  /** NaN, which no product is. */
  private static final int POISON = 0x7FFF_FFFF;

  /**
   * A product of tiles in shared memory.
   *
   * @param rowsOfA rows of A's tile; {@code rowsOfB} of B's; likewise K of both
   */
  private record Product(ElementType type, int rowsOfA, int rowsOfB, int depthOfA, int depthOfB, Issue issue) {}

  /** The instructions of one thread. */
  private interface Issue {
    void emit(Scope k, TensorMemory memory, Factor a, Factor b);
  }

  /** A factor in shared memory. */
  private record Factor(Operand.Register descriptor, UmmaDescriptor form) {
    static Factor of(Scope k, TensorTile tile, int rows) {
      var zero = k.constant(0);
      var form = UmmaDescriptor.of(tile.shared().type(), tile.shared().layout(), rows);
      return new Factor(form.register(k, tile.shared(), zero, zero, zero), form);
    }
  }

  @ParameterizedTest(name = "{0}, {1}x{2}, column {3}")
  @CsvSource({"BF16, 128, 64, 0", "F16, 64, 48, 3", "TF32, 128, 32, 1", "E4M3, 128, 64, 0", "I8, 64, 32, 0"})
  void sparseProductsTakeWhatTheMetadataSays(ElementType type, int m, int n, int selector) {
    var atom = new SparseUmmaAtom(UmmaAtom.of(type, m, n, 1));
    int group = type.bits() == 32 ? 2 : 4;
    int kept = group / 2;
    int depthOfA = atom.dense().depth();
    var random = new Random(m + n);
    int[][] places = new int[m][depthOfA];
    int[] words = new int[LANES * WORDS];
    int[] fours = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
    for (int row = 0; row < m; row++) {
      for (int g = 0; g < depthOfA / kept; g++) {
        int code = group == 2 ? random.nextBoolean() ? 0x4 : 0xE : fours[random.nextInt(fours.length)];
        if (group == 2) {
          places[row][g] = 2 * g + (code == 0x4 ? 0 : 1);
        } else {
          places[row][2 * g] = 4 * g + (code & 3);
          places[row][2 * g + 1] = 4 * g + (code >> 2);
        }
        long at = atom.metadata().apply(row + (long) m * g);
        int place = (int) (at / LANES);
        words[(int) (at % LANES) * WORDS + selector + place / 8] |= code << 4 * (place % 8);
      }
    }
    var product = new Product(type, m, n, depthOfA, atom.depth(), (k, memory, a, b) ->
        atom.multiply(k, memory.columns(0, n), a.descriptor, a.form, b.descriptor, b.form,
            memory.columns(BESIDE, WORDS), selector, k.constant(0).equalTo(1)));
    check(product, words, atom.accumulator(), (row, column) -> {
      int sum = 0;
      for (int i = 0; i < depthOfA; i++) sum += a(row, i) * b(column, places[row][i]);
      return sum;
    });
  }

  @ParameterizedTest(name = "{0}, {1}x{2}")
  @CsvSource({"BF16, 32, 64", "BF16, 64, 128", "E4M3, 128, 256", "I8, 32, 256", "TF32, 64, 64"})
  void stationaryProductsLieAsTheDataPathsSay(ElementType type, int m, int n) {
    var format = MmaFormat.of(type);
    var atom = new WeightStationaryUmmaAtom(MmaKind.of(format), format, format, m, n);
    for (int column = 0; column < n; column++) {
      // As many parts of the columns as fit in the lanes one above the other.
      int width = n / (LANES / m);
      assertEquals(column / width * m * 65536L + column % width, atom.accumulator().apply((long) column * m));
    }
    var product = new Product(type, m, n, atom.depth(), atom.depth(), (k, memory, a, b) -> {
      var d = memory.columns(0, atom.accumulatorColumns());
      atom.multiply(k, d, a.descriptor, a.form, b.descriptor, b.form, new Collector(2, Use.FILL),
          k.constant(0).equalTo(1));
      atom.multiply(k, d, a.descriptor, a.form, b.descriptor, b.form, new Collector(2, Use.LAST_USE),
          k.constant(0).equalTo(0));
    });
    check(product, new int[LANES * WORDS], atom.accumulator(), (row, column) -> {
      int sum = 0;
      for (int i = 0; i < atom.depth(); i++) sum += a(row, i) * b(column, i);
      // Once as the buffer is filled, and once more with what it was filled with.
      return 2 * sum;
    });
  }

  @Test
  void shiftedProductsTakeTheRowBefore() {
    var atom = UmmaAtom.of(ElementType.BF16, LANES, 64, 1);
    int[] words = new int[LANES * WORDS];
    for (int row = 0; row < LANES; row++) {
      for (int i = 0; i < atom.depth(); i++) {
        words[row * WORDS + i / 2] |= (Float.floatToIntBits(a(row, i)) >>> 16) << 16 * (i % 2);
      }
    }
    var product = new Product(ElementType.BF16, LANES, atom.n(), atom.depth(), atom.depth(), (k, memory, _, b) ->
        atom.multiplyShifted(k, memory.columns(0, atom.n()), memory.columns(BESIDE, WORDS), b.descriptor, b.form,
            k.constant(0).equalTo(1)));
    check(product, words, atom.accumulator(), (row, column) -> {
      int sum = 0;
      for (int i = 0; i < atom.depth(); i++) sum += a(Math.max(0, row - 1), i) * b(column, i);
      return sum;
    });
  }

  @Test
  void whatDoesNotExistIsRefused() {
    var scaled = UmmaAtom.scaled(ElementType.E4M3, ElementType.E4M3, 128, 64, 1);
    assertThrows(TraceException.class, () -> new SparseUmmaAtom(scaled));
    assertThrows(TraceException.class, () -> new Collector(4, Use.FILL));
    var half = MmaFormat.F16;
    assertThrows(TraceException.class,
        () -> new WeightStationaryUmmaAtom(MmaKind.F16, half, MmaFormat.BF16, 64, 64));
    assertThrows(TraceException.class, () -> new WeightStationaryUmmaAtom(MmaKind.F16, half, half, 64, 96));
    assertThrows(TraceException.class, () -> new WeightStationaryUmmaAtom(MmaKind.F16, half, half, 16, 64));
  }

  /** One row of A; whole numbers from −2 to 2. */
  private static int a(int row, int i) {
    return (row * 7 + i * 3) % 5 - 2;
  }

  private static int b(int row, int i) {
    return (row * 5 + i * 11) % 7 % 4 - 1;
  }

  private static void check(Product product, int[] words, Layout accumulator, IntBinaryOperator expected) {
    var type = product.type();
    var compiled = CompiledKernel.compile(new OneProduct(product), Target.SM100A);
    switch (Assembler.find().assemble(compiled.ptx(), "sm_100a")) {
      case Assembly.Assembled assembled -> assertEquals(List.of(), assembled.warnings());
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
    var buffers = Map.of("A", filled(type, product.rowsOfA(), product.depthOfA(), UmmaVariantsTest::a), "B",
        filled(type, product.rowsOfB(), product.depthOfB(), UmmaVariantsTest::b), "W", MemorySegment.ofArray(words),
        "D", Buffers.poisoned(ElementType.I32, (long) LANES * BESIDE));
    var arguments = LaunchArguments.of(compiled)
        .tensor("A", matrix("A", product.rowsOfA(), product.depthOfA()))
        .tensor("B", matrix("B", product.rowsOfB(), product.depthOfB()))
        .tensor("W", matrix("W", LANES, WORDS)).tensor("D", matrix("D", LANES, BESIDE));
    var outcome = new SimulatorBackend(1).run(new PreparedLaunch(compiled, Dim3.ONE, arguments.build()).on(buffers));
    assertEquals(List.of(), outcome.findings());
    boolean whole = type == ElementType.I8;
    var d = new TensorView(whole ? ElementType.I32 : ElementType.F32, buffers.get("D"),
        Layout.rowMajor(LANES, BESIDE)).values();
    int m = product.rowsOfA();
    for (int row = 0; row < m; row++) {
      for (int column = 0; column < product.rowsOfB(); column++) {
        long address = accumulator.apply(row + (long) column * m);
        double found = d[(int) (address / TensorMemory.LANE + address % TensorMemory.LANE * LANES)];
        assertEquals(expected.applyAsInt(row, column), found, "element (" + row + ", " + column + ")");
      }
    }
  }

  private static LaunchArguments.Tensor matrix(String name, long rows, long columns) {
    return new LaunchArguments.Tensor(name, 0, List.of(rows, columns), List.of(columns, 1L));
  }

  private static MemorySegment filled(ElementType type, int rows, int depth, IntBinaryOperator element) {
    var view = new TensorView(type, Buffers.poisoned(type, (long) rows * depth), Layout.rowMajor(rows, depth));
    for (int row = 0; row < rows; row++) {
      for (int i = 0; i < depth; i++) view.set(row + rows * i, element.applyAsInt(row, i));
    }
    return view.data();
  }

  /** Words in Tensor Memory, tiles in shared memory, the product, and all lanes of its columns. */
  private record OneProduct(Product product) implements Kernel {
    @Override
    public String name() {
      return "one_product";
    }

    @Override
    public void trace(Scope k) {
      var thread = k.block(Warpgroup.SIZE);
      var zero = k.constant(0);
      var a = tile(k, "A", "M", product.rowsOfA(), product.depthOfA());
      var b = tile(k, "B", "N", product.rowsOfB(), product.depthOfB());
      var words = k.global(TensorSpec.of("W", ElementType.I32, "L", "E").contiguous("E"));
      var d = k.global(TensorSpec.of("D", ElementType.I32, "L", "C").contiguous("C"));
      var warp = thread.dividedBy(Warp.SIZE);
      var landed = Mbarrier.of(k, thread.equalTo(0), 1);
      var done = Mbarrier.of(k, thread.equalTo(0), 1);
      var memory = TensorMemory.allocate(k, 1, TensorMemory.COLUMNS, warp.equalTo(0), k::barrier);
      var access = TensorMemoryAccess.rows(WORDS);
      var stored = access.fragment(k, PtxType.B32);
      for (int i = 0; i < WORDS; i++) {
        k.emit("mov.b32", stored.group(0).get(i), words.at(thread, k.constant(i)).loadInteger().register());
      }
      access.store(k, memory.columns(BESIDE, WORDS), warp, 0, stored);
      for (int i = 0; i < WORDS; i++) k.emit("mov.b32", stored.group(0).get(i), new Operand.Integer(POISON));
      for (int first = 0; first < BESIDE; first += WORDS) {
        access.store(k, memory.columns(first, WORDS), warp, 0, stored);
      }
      TensorFence.waitForStores(k);
      TensorFence.beforeSync(k);
      k.barrier();
      TensorFence.afterSync(k);
      k.when(thread.equalTo(0), () -> {
        landed.arriveExpecting(k.constant(a.bytes() + b.bytes()));
        for (var tile : List.of(a, b)) tile.load(k, zero, landed, zero, zero);
        landed.await(zero);
        product.issue.emit(k, memory, Factor.of(k, a, product.rowsOfA), Factor.of(k, b, product.rowsOfB));
        TensorCommit.arrive(k, 1, done);
      });
      done.await(zero);
      TensorFence.afterSync(k);
      copy(k, memory.columns(0, BESIDE), warp, (column, value) -> d.at(thread, k.constant(column)).store(value));
      TensorFence.beforeSync(k);
      memory.release(k::barrier);
    }

    private TensorTile tile(Scope k, String name, String rows, int extent, int depth) {
      var type = product.type();
      var spec = TensorSpec.of(name, type, rows, name + "K").contiguous(name + "K").aligned(16 / type.bytes());
      return TensorTile.of(k, spec, SwizzledRows.alongColumns(type, extent, depth, 1));
    }

    private interface Column {
      void store(int column, I32 value);
    }

    private static void copy(Scope k, TensorMemoryTile tile, I32 warp, Column columns) {
      var access = TensorMemoryAccess.rows(WORDS);
      for (int first = 0; first < tile.columns(); first += WORDS) {
        var registers = access.fragment(k, PtxType.B32);
        access.load(k, tile, warp, first, registers);
        TensorFence.waitForLoads(k);
        for (int i = 0; i < WORDS; i++) {
          columns.store(first + i, k.result(registers.group(0).get(i), Integer.MAX_VALUE));
        }
      }
    }
  }
}
