package tilewright.verification;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import tilewright.kernel.Matrix;
import tilewright.numerics.ElementType;
import tilewright.reference.BlockQuantizer;
import tilewright.reference.GemmReference;
import tilewright.reference.ScaledGemmReference;
import tilewright.reference.TensorView;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;

/** A product of 8-bit weights, quantised from normally distributed singles, and 16-bit activations. */
record MixedCase(MixedGemm gemm) {
  Case of(Set<String> backends, long seed) {
    var p = gemm.problem();
    var config = p.m() + "x" + p.n() + "x" + p.k() + " TN " + p.types()
        + (p.batch() == 1 ? "" : " batch=" + p.batch());
    return new Case("sm90_mixed_gemm", "sm90", config, backends, true, gemm::prepare, () -> inputs(seed),
        (in, out, _) -> compare(in, out));
  }

  private Map<String, MemorySegment> inputs(long seed) {
    var p = gemm.problem();
    var buffers = new HashMap<String, MemorySegment>();
    long weights = (long) p.m() * p.k() * p.batch();
    buffers.put("A", Buffers.poisoned(p.types().a(), weights));
    buffers.put("B", Buffers.normal(p.types().b(), (long) p.n() * p.k() * p.batch(), seed + 1));
    buffers.put("C", Buffers.poisoned(p.output(), (long) p.m() * p.n() * p.batch()));
    buffers.put("SA", Buffers.poisoned(ElementType.F32, (long) p.m() * ScaledGemm.blocks(p.k()) * p.batch()));
    var singles = Map.of("A", Buffers.normal(ElementType.F32, weights, seed));
    BlockQuantizer.ROWS.quantize(GemmCases.view(ElementType.F32, singles, p.a(), p.m(), p.k(), p.batch()),
        GemmCases.view(p.types().a(), buffers, p.a(), p.m(), p.k(), p.batch()), scales(buffers, gemm.scales(), p.m()));
    return buffers;
  }

  private TensorView scales(Map<String, MemorySegment> buffers, Matrix scales, int rows) {
    var p = gemm.problem();
    return GemmCases.view(ElementType.F32, buffers, scales, rows, ScaledGemm.blocks(p.k()), p.batch());
  }

  private Verdict compare(Map<String, MemorySegment> in, Map<String, MemorySegment> out) {
    var p = gemm.problem();
    var product = new GemmReference(GemmCases.view(p.types().a(), in, p.a(), p.m(), p.k(), p.batch()),
        GemmCases.view(p.types().b(), in, p.b(), p.n(), p.k(), p.batch()),
        GemmCases.view(p.output(), in, p.c(), p.m(), p.n(), p.batch()), p.alpha(), p.beta());
    // Activations have no scales of their own: ones.
    int blocks = ScaledGemm.blocks(p.n());
    var unit = Buffers.poisoned(ElementType.F32, (long) blocks * ScaledGemm.blocks(p.k()) * p.batch());
    var ones = scales(Map.of("ones", unit), Matrix.rowMajor("ones", blocks, ScaledGemm.blocks(p.k())), blocks);
    for (long i = 0; i < ones.size(); i++) ones.set(i, 1);
    var reference = new ScaledGemmReference(product, scales(in, gemm.scales(), p.m()), ones);
    int[] rows = GemmCases.compared(p);
    return GemmCases.verdict(p, out, rows, reference.exact(rows), reference.onWarpgroups(rows));
  }
}
