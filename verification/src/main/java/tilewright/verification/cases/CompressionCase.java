package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmTypes;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.StructuredSparsity;
import tilewright.reference.TensorView;
import tilewright.sm90.SparseCompression;
import tilewright.sm90.SparseGemm;

/** A matrix that a kernel prunes and compresses, which the host does to the same bits. */
record CompressionCase(ElementType type, int m, int k, int batch) {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final double[] SPECIAL = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, 0};

  private Case of(long seed) {
    return new Case("sm90_sparse_compression", "sm90", m + "x" + k + " " + type.text()
        + (batch == 1 ? "" : " batch=" + batch), EVERYWHERE, Price.elements((long) m * k * batch),
        () -> SparseCompression.prepare(gemm(), dense()), () -> buffers(seed), (_, out, _) -> compare(out, seed));
  }

  private SparseGemm gemm() {
    return SparseGemm.packed(
        SparseGemm.problem(GemmTypes.of(type, GemmTypes.usualOutput(type)), m, 1, k, batch, "TN"));
  }

  private Matrix dense() {
    return Matrix.rowMajor("X", m, k);
  }

  /** Numbers of which many are equal in magnitude, and some are none. */
  private Map<String, MemorySegment> buffers(long seed) {
    var random = new SplittableRandom(seed);
    var x = new TensorView(type, Buffers.zeros(type, (long) m * k * batch), Layout.of((long) m * k * batch, 1));
    for (long i = 0; i < x.size(); i++) {
      boolean special = type != ElementType.I8 && random.nextInt(20) == 0;
      double near = Math.round(3 * random.nextGaussian());
      x.set(i, special ? SPECIAL[random.nextInt(SPECIAL.length)] : type == ElementType.I8 ? 40 * near : near);
    }
    var gemm = gemm();
    return new HashMap<>(Map.of("X", x.data(),
        "A", Buffers.poisoned(type, gemm.problem().a().batchStride() * batch),
        "E", Buffers.poisoned(ElementType.I32, gemm.metadata().batchStride() * batch)));
  }

  private Verdict compare(Map<String, MemorySegment> out, long seed) {
    var gemm = gemm();
    var expected = buffers(seed);
    var sparsity = StructuredSparsity.of(type);
    var matrix = GemmCases.view(type, expected, dense(), m, k, batch);
    sparsity.prune(matrix);
    sparsity.compress(matrix, GemmCases.view(type, expected, gemm.problem().a(), m, k / 2, batch),
        new TensorView(ElementType.I4, expected.get("E"), gemm.positions()));
    var violation = Stream.of("A", "E").filter(name -> out.get(name).mismatch(expected.get(name)) >= 0).findFirst()
        .map(name -> name + " differs from what the host compresses at byte "
            + out.get(name).mismatch(expected.get(name)));
    return new Verdict(OptionalDouble.empty(), OptionalDouble.empty(), Optional.of(violation.isEmpty()), violation);
  }

  /** Every type, with tails of rows and of k, a batch, and extents of none. */
  static List<Case> all(long seed) {
    var cases = new ArrayList<Case>();
    for (var type : List.of(ElementType.BF16, ElementType.F16, ElementType.TF32, ElementType.E4M3, ElementType.E5M2,
        ElementType.I8)) {
      cases.add(new CompressionCase(type, 75, 160, 2).of(seed));
    }
    cases.add(new CompressionCase(ElementType.BF16, 0, 32, 1).of(seed));
    cases.add(new CompressionCase(ElementType.BF16, 3, 0, 1).of(seed));
    return cases;
  }
}
