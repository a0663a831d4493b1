package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.kernel.Matrix;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.reference.GemmReference;
import tilewright.reference.StructuredSparsity;
import tilewright.reference.TensorView;
import tilewright.sm90.SparseGemm;
import tilewright.sm90.Sm90GemmConfig;

/**
 * A product whose A is sparse: normally distributed numbers, of which the smaller half of each chunk is pruned.
 *
 * @param name of the configuration and the epilogue
 */
public record SparseCase(SparseGemm gemm, Sm90GemmConfig config, String name) {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final Set<String> GPU_ONLY = Set.of("gpu");

  public Case of(Set<String> backends, long seed) {
    var p = gemm.problem();
    return new Case("sm90_sparse_gemm", "sm90", GemmCases.config(p, config.operands().bKMajor() ? "TN" : "TT") + name,
        backends, Price.of(p), () -> gemm.prepare(config), () -> inputs(seed), (in, out, _) -> compare(in, out, seed));
  }

  /** A before it is compressed. */
  private TensorView dense(long seed) {
    var p = gemm.problem();
    var buffers = Map.of("A", Buffers.normal(p.types().a(), (long) p.m() * p.k() * p.batch(), seed));
    var dense = GemmCases.view(p.types().a(), buffers, Matrix.rowMajor("A", p.m(), p.k()), p.m(), p.k(), p.batch());
    StructuredSparsity.of(p.types().a()).prune(dense);
    return dense;
  }

  private Map<String, MemorySegment> inputs(long seed) {
    var p = gemm.problem();
    var buffers = new HashMap<String, MemorySegment>();
    buffers.put("A", Buffers.poisoned(p.types().a(), p.a().batchStride() * p.batch()));
    buffers.put("E", Buffers.poisoned(ElementType.I32, gemm.metadata().batchStride() * p.batch()));
    buffers.put("B", Buffers.normal(p.types().b(), (long) p.n() * p.k() * p.batch(), seed + 1));
    buffers.put("C", Buffers.poisoned(p.output(), (long) p.m() * p.n() * p.batch()));
    EpilogueCases.addTo(buffers, gemm.epilogue(), seed);
    StructuredSparsity.of(p.types().a()).compress(dense(seed),
        GemmCases.view(p.types().a(), buffers, p.a(), p.m(), p.a().rowStride(), p.batch()),
        new TensorView(ElementType.I4, buffers.get("E"), gemm.positions()));
    return buffers;
  }

  private Verdict compare(Map<String, MemorySegment> in, Map<String, MemorySegment> out, long seed) {
    var p = gemm.problem();
    var product = new GemmReference(dense(seed), GemmCases.view(p.types().b(), in, p.b(), p.n(), p.k(), p.batch()),
        EpilogueCases.sums(p.m(), p.n(), p.batch()), 1, 0);
    var rows = product.allRows();
    return EpilogueCases.verdict(p, gemm.epilogue(), in, out, List.of(product.exact(rows)),
        List.of(product.onWarpgroups(StructuredSparsity.of(p.types().a()), p.types().accumulator(),
            config.interval(p.k()), rows)));
  }

  private static SparseCase of(GemmTypes types, int m, int n, int k, int batch) {
    float alpha = types.output() == ElementType.I32 ? 1 : 0.5f;
    var gemm = SparseGemm.packed(SparseGemm.problem(types, m, n, k, batch, "TN").scaled(alpha, 0));
    return new SparseCase(gemm, gemm.configure(), "");
  }

  /** Every type that {@code wgmma.sp} multiplies, with tails in every extent; a batch, K of none, epilogues. */
  static List<Case> all(long seed) {
    var cases = new ArrayList<Case>();
    for (var types : types()) {
      cases.add(of(types, 136, 48, 304, 1).of(EVERYWHERE, seed));
      cases.add(of(types, 1024, 2048, 1536, 1).of(GPU_ONLY, seed));
    }
    return cases;
  }

  private static List<GemmTypes> types() {
    return List.of(GemmTypes.of(ElementType.BF16, ElementType.BF16), GemmTypes.of(ElementType.F16, ElementType.F32),
        GemmTypes.of(ElementType.F16, ElementType.F16).summedIn(ElementType.F16),
        GemmTypes.of(ElementType.TF32, ElementType.F32), GemmTypes.of(ElementType.E4M3, ElementType.BF16),
        new GemmTypes(ElementType.E5M2, ElementType.E4M3, ElementType.F32, Accumulation.FAST),
        GemmTypes.of(ElementType.I8, ElementType.I32));
  }
}
