package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.Matrix;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.reference.GemmReference;
import tilewright.sm90.DualGemm;
import tilewright.sm90.Sm90GemmConfig;

/**
 * Two products that share A, and what the epilogue makes of both.
 *
 * @param name of the epilogue
 */
public record DualCase(DualGemm gemm, String name, String order, Sm90GemmConfig config) {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final Set<String> GPU_ONLY = Set.of("gpu");

  /** The case of a gate in the configuration that the problem gets. */
  private static Case of(GemmProblem problem, Pointwise activation, String order, Set<String> backends, long seed) {
    var gemm = DualGemm.packed(problem, activation);
    return new DualCase(gemm, activation.text(), order, gemm.configure()).of(backends, seed);
  }

  public Case of(Set<String> backends, long seed) {
    var p = gemm.problem();
    return new Case("sm90_dual_gemm", "sm90", GemmCases.config(p, order) + " " + name, backends, Price.of(gemm.wide()),
        () -> gemm.prepare(config), () -> inputs(seed), (in, out, _) -> compare(in, out));
  }

  private Map<String, MemorySegment> inputs(long seed) {
    var p = gemm.problem();
    var buffers = new HashMap<String, MemorySegment>();
    buffers.put("A", Buffers.normal(p.types().a(), (long) p.m() * p.k() * p.batch(), seed));
    buffers.put("B", Buffers.normal(p.types().b(), p.b().batchStride() * p.batch(), seed + 1));
    buffers.put("C", Buffers.poisoned(p.output(), (long) p.m() * p.n() * p.batch()));
    EpilogueCases.addTo(buffers, gemm.epilogue(), seed);
    return buffers;
  }

  private Verdict compare(Map<String, MemorySegment> in, Map<String, MemorySegment> out) {
    var p = gemm.problem();
    var products = Stream.of(0L, gemm.distance()).map(distance -> product(in, distance)).toList();
    var rows = products.getFirst().allRows();
    return EpilogueCases.verdict(p, gemm.epilogue(), in, out, products.stream().map(b -> b.exact(rows)).toList(),
        products.stream().map(product -> summed(product, rows)).toList());
  }

  private double[] summed(GemmReference product, int[] rows) {
    var p = gemm.problem();
    var parts = PartsOfK.of(gemm.wide(), config, gemm.prepare(config).grid().x());
    int columns = config.tileN() / 2;
    return product.onWarpgroups((row, column, batch) ->
        parts.of(row, column / columns * config.tileN(), batch), config.interval(p.k()), rows);
  }

  /** The product with the B that begins this number of elements behind the first. */
  private GemmReference product(Map<String, MemorySegment> in, long distance) {
    var p = gemm.problem();
    var b = p.b();
    var there = new Matrix(b.buffer(), b.offset() + distance * p.types().b().bytes(), b.rowStride(), b.columnStride(),
        b.batchStride());
    var sums = EpilogueCases.sums(p.m(), p.n(), p.batch());
    return new GemmReference(GemmCases.view(p.types().a(), in, p.a(), p.m(), p.k(), p.batch()),
        GemmCases.view(p.types().b(), in, there, p.n(), p.k(), p.batch()), sums, 1, 0);
  }

  /** SwiGLU and other gates: tails in every extent, all orders, 8 bits, operands that threads fetch. */
  static List<Case> all(long seed) {
    var cases = new ArrayList<Case>();
    cases.add(of(bf16(72, 72, 40, 1, "TN"), Pointwise.RELU, "TN", EVERYWHERE, seed));
    for (var order : List.of("TN", "NN", "TT", "NT")) {
      cases.add(of(bf16(136, 264, 72, 1, order), Pointwise.SWISH, order, EVERYWHERE, seed));
    }
    cases.add(of(bf16(136, 263, 72, 2, "TN"), Pointwise.RELU, "TN", EVERYWHERE, seed));
    cases.add(of(bf16(40, 45, 75, 2, "TN"), Pointwise.GELU_TANH, "TN", EVERYWHERE, seed));
    cases.add(of(bf16(16, 24, 0, 1, "TN"), Pointwise.SIGMOID, "TN", EVERYWHERE, seed));
    cases.add(of(bf16(0, 24, 16, 1, "TN"), Pointwise.RELU, "TN", EVERYWHERE, seed));
    cases.add(of(GemmProblem.packed(ElementType.F16, ElementType.F32, 40, 24, 200, 3, "TN").scaled(0.5f, 0),
        Pointwise.GELU_ERF, "TN", EVERYWHERE, seed));
    var exact = new GemmTypes(ElementType.E4M3, ElementType.E5M2, ElementType.BF16, Accumulation.EXACT);
    cases.add(of(GemmProblem.packed(exact, 136, 48, 288, 1, "TN").scaled(0.125f, 0), Pointwise.SWISH, "TN", EVERYWHERE,
        seed));
    cases.add(of(GemmProblem.packed(ElementType.TF32, ElementType.F32, 40, 136, 75, 1, "NT"), Pointwise.SWISH, "NT",
        EVERYWHERE, seed));
    var codes = GemmProblem.packed(ElementType.BF16, ElementType.E4M3, 136, 264, 72, 1, "TN");
    var gemm = DualGemm.packed(codes, EpilogueArguments.packed(
        DualGemm.gated(Pointwise.RELU, ElementType.E4M3).unrounded().quantize("factors"), codes));
    cases.add(new DualCase(gemm, "relu,quantized", "TN", gemm.configure()).of(EVERYWHERE, seed));
    // More tiles than a GPU runs at once.
    cases.add(of(bf16(1544, 1416, 8, 1, "TN"), Pointwise.SWISH, "TN", GPU_ONLY, seed));
    return cases;
  }

  private static GemmProblem bf16(int m, int n, int k, int batch, String order) {
    return GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, batch, order);
  }
}
