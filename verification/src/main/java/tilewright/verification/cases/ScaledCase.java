package tilewright.verification.cases;

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
import tilewright.sm90.ScaledGemm;

/** A product of 8-bit floats with scales, whose operands are quantised from normally distributed FP32 numbers. */
record ScaledCase(ScaledGemm gemm) {
  Case of(Set<String> backends, long seed) {
    var p = gemm.problem();
    var config = p.m() + "x" + p.n() + "x" + p.k() + " TN " + p.types()
        + (p.batch() == 1 ? "" : " batch=" + p.batch());
    return new Case("sm90_scaled_gemm", "sm90", config, backends, Price.of(p), gemm::prepare, () -> inputs(seed),
        (in, out, _) -> compare(in, out));
  }

  private Map<String, MemorySegment> inputs(long seed) {
    var p = gemm.problem();
    var buffers = new HashMap<String, MemorySegment>();
    buffers.put("C", Buffers.poisoned(p.output(), (long) p.m() * p.n() * p.batch()));
    quantized(buffers, p.types().a(), p.a(), p.m(), gemm.scalesA(), BlockQuantizer.ROWS, seed);
    quantized(buffers, p.types().b(), p.b(), p.n(), gemm.scalesB(), BlockQuantizer.SQUARES, seed + 1);
    return buffers;
  }

  private void quantized(Map<String, MemorySegment> buffers, ElementType type, Matrix matrix, int rows, Matrix scales,
      BlockQuantizer quantizer, long seed) {
    var p = gemm.problem();
    long count = (long) rows * p.k() * p.batch();
    var singles = Map.of(matrix.buffer(), Buffers.normal(ElementType.F32, count, seed));
    buffers.put(matrix.buffer(), Buffers.poisoned(type, count));
    int blocks = Math.ceilDiv(rows, quantizer.rows());
    buffers.put(scales.buffer(), Buffers.poisoned(ElementType.F32, scales.batchStride() * p.batch()));
    quantizer.quantize(GemmCases.view(ElementType.F32, singles, matrix, rows, p.k(), p.batch()),
        GemmCases.view(type, buffers, matrix, rows, p.k(), p.batch()), scales(buffers, scales, blocks));
  }

  private TensorView scales(Map<String, MemorySegment> buffers, Matrix scales, int blocks) {
    var p = gemm.problem();
    return GemmCases.view(ElementType.F32, buffers, scales, blocks, ScaledGemm.blocks(p.k()), p.batch());
  }

  private Verdict compare(Map<String, MemorySegment> in, Map<String, MemorySegment> out) {
    var p = gemm.problem();
    var product = new GemmReference(GemmCases.view(p.types().a(), in, p.a(), p.m(), p.k(), p.batch()),
        GemmCases.view(p.types().b(), in, p.b(), p.n(), p.k(), p.batch()),
        GemmCases.view(p.output(), in, p.c(), p.m(), p.n(), p.batch()), p.alpha(), p.beta());
    var reference = new ScaledGemmReference(product, scales(in, gemm.scalesA(), p.m()),
        scales(in, gemm.scalesB(), ScaledGemm.blocks(p.n())));
    int[] rows = GemmCases.compared(p);
    return GemmCases.verdict(p, out, rows, reference.exact(rows), reference.onWarpgroups(rows));
  }
}
