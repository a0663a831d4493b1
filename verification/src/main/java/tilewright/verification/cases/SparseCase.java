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
  private static final GemmTypes BF16 = GemmTypes.of(ElementType.BF16, ElementType.BF16);

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
    var metadata = gemm.metadata();
    buffers.put("E", Buffers.poisoned(ElementType.I32, metadata.offset() / Integer.BYTES
        + metadata.batchStride() * p.batch()));
    buffers.put("B", Buffers.normal(p.types().b(), (long) p.n() * p.k() * p.batch(), seed + 1));
    buffers.put("C", Buffers.poisoned(p.output(), (long) p.m() * p.n() * p.batch()));
    EpilogueCases.addTo(buffers, gemm.epilogue(), seed);
    StructuredSparsity.of(p.types().a()).compress(dense(seed),
        GemmCases.view(p.types().a(), buffers, p.a(), p.m(), p.a().rowStride(), p.batch()),
        new TensorView(ElementType.I4, buffers.get("E"), metadata.offset(), gemm.positions()));
    return buffers;
  }

  private Verdict compare(Map<String, MemorySegment> in, Map<String, MemorySegment> out, long seed) {
    var p = gemm.problem();
    var product = new GemmReference(dense(seed), GemmCases.view(p.types().b(), in, p.b(), p.n(), p.k(), p.batch()),
        EpilogueCases.sums(p.m(), p.n(), p.batch()), 1, 0);
    int[] rows = GemmCases.compared(p);
    return EpilogueCases.verdict(p, gemm.epilogue(), in, out, List.of(product.exact(rows)),
        List.of(product.onWarpgroups(StructuredSparsity.of(p.types().a()), p.types().accumulator(),
            config.interval(p.k()), rows)),
        new EpilogueCases.Part(element -> element / (p.m() * p.n()), GemmCases.elements(p, rows)));
  }

  /** A problem in the configuration that it gets. */
  private static SparseCase of(GemmTypes types, int m, int n, int k, int batch, String order) {
    float alpha = types.output() == ElementType.I32 ? 1 : 0.5f;
    var gemm = SparseGemm.packed(SparseGemm.problem(types, m, n, k, batch, order).scaled(alpha, 0));
    return new SparseCase(gemm, gemm.configure(), "");
  }

  /** A problem of bf16 in one of {@link SparseGemm#tiles}. */
  public static SparseCase tiled(String tile, int m, int n, int k, String order) {
    var gemm = SparseGemm.packed(SparseGemm.problem(BF16, m, n, k, 1, order));
    return new SparseCase(gemm, gemm.configure(tile), " tile=" + tile);
  }

  /** A problem with an epilogue. */
  private static SparseCase with(StandardEpilogue epilogue, float beta) {
    var problem = SparseGemm.problem(BF16, 136, 72, 136, 1, "TN").scaled(0.5f, beta);
    var gemm = SparseGemm.packed(problem, EpilogueArguments.packed(epilogue.tree(problem.output()), problem));
    return new SparseCase(gemm, gemm.configure(), " " + epilogue.text());
  }

  /**
   * Every type that {@code wgmma.sp} multiplies; tails in every extent, a batch, extents of none, a B along n, operands
   * that threads fetch, epilogues, and tiles of every kind.
   */
  static List<Case> all(long seed) {
    var cases = new ArrayList<Case>();
    // The first that only a GPU runs is cheap, as a quick run has it.
    cases.add(tiled("128x64x2", 136, 72, 72, "TN").of(GPU_ONLY, seed));
    for (var types : types()) {
      cases.add(of(types, 136, 48, 304, 1, "TN").of(EVERYWHERE, seed));
      cases.add(of(types, 1024, 2048, 1536, 1, "TN").of(GPU_ONLY, seed));
    }
    cases.add(of(BF16, 72, 40, 0, 1, "TN").of(EVERYWHERE, seed));
    cases.add(of(BF16, 0, 40, 64, 1, "TN").of(EVERYWHERE, seed));
    cases.add(of(BF16, 72, 136, 200, 2, "TT").of(EVERYWHERE, seed));
    cases.add(of(BF16, 40, 45, 75, 2, "TN").of(EVERYWHERE, seed));
    cases.add(of(GemmTypes.of(ElementType.E4M3, ElementType.BF16), 40, 45, 75, 1, "TT").of(EVERYWHERE, seed));
    for (var epilogue : List.of(StandardEpilogue.BIAS_RELU, StandardEpilogue.BIAS_RESIDUAL)) {
      cases.add(with(epilogue, 0).of(EVERYWHERE, seed));
    }
    cases.add(with(StandardEpilogue.BETA, -2).of(EVERYWHERE, seed));
    for (var tile : List.of("64x32x1-split4", "128x64x2-beside2", "128x128x1-in-turn")) {
      cases.add(tiled(tile, 200, 136, 520, "TN").of(EVERYWHERE, seed));
    }
    for (var tile : List.of("64x64x1-split2", "128x128x2", "128x256x1-beside2", "256x128x2-beside2", "256x192x2")) {
      for (var order : List.of("TN", "TT")) {
        cases.add(tiled(tile, 2168, 1544, 1416, order).of(GPU_ONLY, seed));
      }
    }
    return cases;
  }

  private static List<GemmTypes> types() {
    return List.of(BF16, GemmTypes.of(ElementType.F16, ElementType.F32),
        GemmTypes.of(ElementType.F16, ElementType.F16).summedIn(ElementType.F16),
        GemmTypes.of(ElementType.TF32, ElementType.F32), GemmTypes.of(ElementType.E4M3, ElementType.BF16),
        new GemmTypes(ElementType.E5M2, ElementType.E4M3, ElementType.F32, Accumulation.FAST),
        new GemmTypes(ElementType.E4M3, ElementType.E5M2, ElementType.BF16, Accumulation.EXACT),
        GemmTypes.of(ElementType.I8, ElementType.I32));
  }
}
