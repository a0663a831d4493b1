package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import tilewright.kernel.Matrix;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.BlockQuantizer;
import tilewright.reference.GemmReference;
import tilewright.reference.TensorView;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;

/** A product of narrow weights, quantised from normally distributed FP32 numbers, and 16-bit activations. */
record MixedCase(MixedGemm gemm) {
  private static final int BLOCK = 128;

  Case of(Set<String> backends, long seed) {
    var p = gemm.problem();
    var config = p.m() + "x" + p.n() + "x" + p.k() + " TN " + p.types()
        + (p.batch() == 1 ? "" : " batch=" + p.batch());
    return new Case("sm90_mixed_gemm", "sm90", config, backends, Price.of(p), gemm::prepare, () -> inputs(seed),
        (in, out, _) -> compare(in, out));
  }

  private Map<String, MemorySegment> inputs(long seed) {
    var p = gemm.problem();
    var buffers = new HashMap<String, MemorySegment>();
    long weights = (long) p.m() * p.k() * p.batch();
    buffers.put("A", Buffers.poisoned(p.types().a(), weights));
    buffers.put("B", Buffers.normal(p.types().b(), (long) p.n() * p.k() * p.batch(), seed + 1));
    buffers.put("C", Buffers.poisoned(p.output(), (long) p.m() * p.n() * p.batch()));
    buffers.put("SA", Buffers.poisoned(ElementType.F32, gemm.scales().batchStride() * p.batch()));
    var singles = Map.of("A", Buffers.normal(ElementType.F32, weights, seed));
    BlockQuantizer.ROWS.quantize(GemmCases.view(ElementType.F32, singles, p.a(), p.m(), p.k(), p.batch()),
        GemmCases.view(p.types().a(), buffers, p.a(), p.m(), p.k(), p.batch()), scales(buffers, gemm.scales(), p.m()));
    return buffers;
  }

  private TensorView scales(Map<String, MemorySegment> buffers, Matrix scales, int rows) {
    var p = gemm.problem();
    return GemmCases.view(ElementType.F32, buffers, scales, rows, ScaledGemm.blocks(p.k()), p.batch());
  }

  /** Returns the converted weights, each times its scale, as {@link MixedGemm} multiplies them. */
  private TensorView converted(Map<String, MemorySegment> in) {
    var p = gemm.problem();
    var weights = GemmCases.view(p.types().a(), in, p.a(), p.m(), p.k(), p.batch());
    var scales = scales(in, gemm.scales(), p.m());
    var packed = Layout.of(Layout.of(p.m(), p.k()), Layout.of(p.k(), 1), Layout.of(p.batch(), (long) p.m() * p.k()));
    var converted = new TensorView(p.types().b(), Buffers.zeros(p.types().b(), packed.size()), packed);
    for (int i = 0; i < packed.size(); i++) {
      int row = i % p.m();
      int block = i / p.m() % p.k() / BLOCK;
      int batch = i / p.m() / p.k();
      float scale = (float) scales.value(row + (long) p.m() * (block + (long) ScaledGemm.blocks(p.k()) * batch));
      converted.set(i, p.types().a() == ElementType.I4 ? inParts(p.types().b(), weights.value(i), scale)
          : (float) weights.value(i) * scale);
    }
    return converted;
  }

  /** A weight times its scale's two parts, unrounded: doubles hold the products, and the sum of numbers so near. */
  private static double inParts(ElementType type, double weight, float scale) {
    double large = rounded(type, scale);
    return weight * large + rounded(type, weight * rounded(type, scale - large));
  }

  private static double rounded(ElementType type, double value) {
    return type.toDouble(type.fromDouble(value, Rounding.NEAREST_EVEN));
  }

  private Verdict compare(Map<String, MemorySegment> in, Map<String, MemorySegment> out) {
    var p = gemm.problem();
    var reference = new GemmReference(converted(in),
        GemmCases.view(p.types().b(), in, p.b(), p.n(), p.k(), p.batch()),
        GemmCases.view(p.output(), in, p.c(), p.m(), p.n(), p.batch()), p.alpha(), p.beta());
    int[] rows = GemmCases.compared(p);
    return GemmCases.verdict(p, out, rows, reference.exact(rows),
        reference.onWarpgroups(gemm.configure().interval(p.k()), rows));
  }
}
