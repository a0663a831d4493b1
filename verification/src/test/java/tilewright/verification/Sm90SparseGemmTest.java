package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernel.Matrix;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.StructuredSparsity;
import tilewright.reference.TensorView;
import tilewright.sm90.Loading;
import tilewright.sm90.SparseGemm;
import tilewright.sm90.Variant;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.SparseCase;

/** Products whose A is sparse, beside what {@code verify} runs: other tiles, other memory, and what does not count. */
class Sm90SparseGemmTest {
  private static final GemmTypes BF16 = GemmTypes.of(ElementType.BF16, ElementType.BF16);

  private static void check(SparseCase sparse) {
    var row = Verification.verify(sparse.of(Set.of("sim"), 1), new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(Optional.of(true), row.bitExact());
  }

  /** Two blocks of rows for each consumer, CTAs that copy for each other, parts of k, consumers in turns. */
  @ParameterizedTest
  @CsvSource({"256x64x1-beside2, TT, 264, 72, 264", "64x16x1-split2, TN, 72, 24, 392",
      "128x128x2-in-turn, TN, 264, 136, 72"})
  void everyKindOfTileGivesTheReferencesBits(String tile, String order, int m, int n, int k) {
    check(SparseCase.tiled(tile, m, n, k, order));
  }

  /** Weights that multiply activations from the right: C by columns; and operands inside of larger matrices. */
  @Test
  void matricesMayLieInOthers() {
    var p = SparseGemm.problem(BF16, 72, 40, 200, 2, "TN");
    var a = new Matrix("A", 32, p.a().rowStride() + 24, 1, 80 * (p.a().rowStride() + 24));
    var inside = new GemmProblem(p.types(), 72, 40, 200, 2, a, p.b(), Matrix.columnMajor("C", 72, 40), 1, 0);
    var packed = SparseGemm.packed(inside);
    var e = packed.metadata();
    var gemm = new SparseGemm(inside, new Matrix("E", 64, e.rowStride() + 128, 1, e.batchStride() + 1024),
        packed.epilogue());
    check(new SparseCase(gemm, gemm.configure(), "inside"));
  }

  /** B's elements beside zeros of A are not multiplied, so that they may be no numbers. */
  @ParameterizedTest
  @EnumSource(names = {"F16", "TF32", "E5M2"})
  void whatZerosMeetDoesNotCount(ElementType type) {
    int m = 64;
    int n = 16;
    int k = 256;
    var sparsity = StructuredSparsity.of(type);
    var gemm = SparseGemm.packed(SparseGemm.problem(GemmTypes.of(type, ElementType.F32), m, n, k, 1, "TN"));
    var p = gemm.problem();
    var dense = new TensorView(type, Buffers.zeros(type, (long) m * k), packed(m, k));
    var b = new TensorView(type, Buffers.poisoned(type, (long) n * k), packed(n, k));
    int[][] pairs = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int chunk = 0; chunk < k / sparsity.chunk(); chunk++) {
      int[] kept = sparsity.chunk() == 2 ? new int[] {chunk % 3 % 2} : pairs[chunk % 6];
      for (int place : kept) {
        int at = chunk * sparsity.chunk() + place;
        for (int row = 0; row < m; row++) dense.set(row + (long) m * at, 1 + (row + at) % 3);
        for (int row = 0; row < n; row++) b.set(row + (long) n * at, (row * 5 + at) % 7 - 3);
      }
    }
    var buffers = Map.of("A", Buffers.zeros(type, p.a().batchStride()), "B", b.data(),
        "E", Buffers.zeros(ElementType.I32, gemm.metadata().batchStride()),
        "C", Buffers.poisoned(ElementType.F32, (long) m * n));
    sparsity.compress(dense, new TensorView(type, buffers.get("A"), packed(m, k / 2)),
        new TensorView(ElementType.I4, buffers.get("E"), gemm.positions()));
    var outcome = new SimulatorBackend(1).run(gemm.prepare().on(buffers));
    assertEquals(List.of(), outcome.findings());
    var c = new TensorView(ElementType.F32, buffers.get("C"), packed(m, n));
    for (int row = 0; row < m; row++) {
      for (int column = 0; column < n; column++) {
        double sum = 0;
        for (int at = 0; at < k; at++) {
          double left = dense.value(row + (long) m * at);
          if (left != 0) sum += left * b.value(column + (long) n * at);
        }
        assertEquals(sum, c.value(row + (long) m * column), "element (" + row + "," + column + ")");
      }
    }
  }

  private static Layout packed(int rows, int columns) {
    return Layout.of(Layout.of(rows, columns), Layout.of(columns, 1), Layout.of(1, 0));
  }

  @Test
  void ordersThatDoNotStoreAByRowsAreRefused() {
    assertEquals("invalid operand order NT: a sparse A is stored by rows, as in TN and TT",
        assertThrows(IllegalArgumentException.class, () -> SparseGemm.problem(BF16, 64, 64, 64, 1, "NT")).getMessage());
  }

  /** Sums that leave the tensor core: in two pieces of 128 columns, of which one is multiplied while one is added. */
  @Test
  void exactSumsGiveTheReferencesBits() {
    var types = new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.EXACT);
    var gemm = SparseGemm.packed(SparseGemm.problem(types, 72, 264, 400, 1, "TN"));
    check(new SparseCase(gemm, gemm.configure("128x256x1-beside2"), "exact"));
  }

  @Test
  void scalesAreRefused() {
    var types = new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.SCALED);
    var problem = SparseGemm.problem(types, 64, 64, 128, 1, "TN");
    assertEquals("products of e4m3->bf16 scaled have no sparse A: needed are operands of one width without scales",
        assertThrows(IllegalArgumentException.class, () -> SparseGemm.packed(problem)).getMessage());
  }

  /** A tile that these types do not have. */
  @Test
  void aTileOfOtherTypesIsRefused() {
    var gemm = SparseGemm.packed(SparseGemm.problem(
        GemmTypes.of(ElementType.F16, ElementType.F16).summedIn(ElementType.F16), 64, 64, 128, 1, "TN"));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> gemm.configure("64x16x1-split2")).getMessage()
        .startsWith("invalid tile 64x16x1-split2: 64x16x1 or 64x32x1 or 64x64x1 or 64x128x1 or 128x64x1"));
  }

  /** An extent beyond what a launch may have is named as it was given. */
  @Test
  void anEnormousExtentIsRefused() {
    var gemm = SparseGemm.packed(SparseGemm.problem(BF16, 64, 64, Integer.MAX_VALUE, 1, "TN"));
    assertTrue(assertThrows(IllegalArgumentException.class, gemm::prepare).getMessage().contains("K = 2147483647"));
  }

  /** Stages that do not come in pairs, or whose A is copied ahead of its metadata. */
  @Test
  void variantsThatTheKernelDoesNotHaveAreRefused() {
    var config = SparseGemm.packed(SparseGemm.problem(BF16, 64, 64, 128, 1, "TN")).configure("128x128x1");
    for (var variant : List.of(Variant.PLAIN.with(Variant.Order.STREAM_K),
        Variant.PLAIN.with(Variant.Orientation.TRANSPOSED), Variant.PLAIN.with(Loading.WEIGHTS_AHEAD))) {
      assertTrue(assertThrows(IllegalArgumentException.class, () -> config.with(variant)).getMessage()
          .startsWith("a sparse A is wgmma's A"), variant.toString());
    }
  }
}
