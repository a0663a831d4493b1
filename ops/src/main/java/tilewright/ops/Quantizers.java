package tilewright.ops;

import java.util.List;
import tilewright.kernel.Matrix;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.gemm.BlockQuantizer;
import tilewright.numerics.ElementType;
import tilewright.sm90.ScaledGemm;

/** Quantising to 8 bits, and products of what was quantised. */
final class Quantizers {
  /** Rows that fill the 16 bytes to which tensor copies align columns of factors. */
  private static final int PADDED = 4;

  private final Ops ops;
  private final Machine machine;

  Quantizers(Ops ops, Machine machine) {
    this.ops = ops;
    this.machine = machine;
  }

  QuantizedMatrix quantize(DeviceTensor x, QuantizedMatrix.Blocks blocks) {
    ops.requireOwn(x);
    if (x.rank() != 2) throw new IllegalArgumentException("a matrix (M,K) is quantised, not " + x);
    // Refuses other types, of empty matrices too.
    new BlockQuantizer(x.type(), false, 1);
    boolean square = blocks == QuantizedMatrix.Blocks.SQUARES;
    long across = Math.ceilDiv(x.size(1), BlockQuantizer.BLOCK);
    var codes = ops.empty(ElementType.E4M3, x.shape());
    var factors = square ? ops.empty(ElementType.F32, Math.ceilDiv(x.size(0), BlockQuantizer.BLOCK), across)
        : ops.memory().columns(ElementType.F32, x.size(0), across, PADDED);
    if (x.elements() == 0) return new QuantizedMatrix(codes, factors);
    try (var rows = Held.neighbours(x)) {
      var call = new Call(ops, "quantize").with("X", rows.tensor()).with("Y", codes).with("Factor", factors);
      call.run(blocks, () -> Plan.of(BlockQuantizer.prepare(x.type(), square, call.argument("X"), call.argument("Y"),
          call.argument("Factor"))));
    }
    return new QuantizedMatrix(codes, factors);
  }

  /** X·Wᵀ: X with factors of rows, W with factors of squares. */
  DeviceTensor linear(QuantizedMatrix x, QuantizedMatrix w, ElementType output) {
    for (var tensor : List.of(x.codes(), x.factors(), w.codes(), w.factors())) ops.requireOwn(tensor);
    if (machine.preference(Target.SM90A) < 0) {
      throw new IllegalArgumentException("products of e4m3 with factors of blocks are Hopper's (sm_90a); this is "
          + machine + ": multiply in bf16");
    }
    long m = x.codes().size(0);
    long n = w.codes().size(0);
    long k = x.codes().size(1);
    long across = Math.ceilDiv(k, BlockQuantizer.BLOCK);
    if (w.codes().size(1) != k || x.factors().size(0) != m || x.factors().size(1) != across
        || w.factors().size(0) != Math.ceilDiv(n, BlockQuantizer.BLOCK) || w.factors().size(1) != across) {
      throw new IllegalArgumentException("cannot multiply " + x + " by " + w
          + ": needed are (M,K) with factors of rows and (N,K) with factors of squares");
    }
    var result = ops.empty(output, m, n);
    if (result.elements() == 0) return result;
    var call = new Call(ops, "scaled_gemm").with("A", x.codes()).with("B", w.codes()).with("SA", x.factors())
        .with("SB", w.factors()).with("C", result);
    return ops.computed(result, () -> call.run("", () -> {
      var types = new GemmTypes(ElementType.E4M3, ElementType.E4M3, output, Accumulation.SCALED);
      var problem = new GemmProblem(types, Math.toIntExact(m), Math.toIntExact(n), Math.toIntExact(k), 1,
          matrix(call, "A"), matrix(call, "B"), matrix(call, "C"), 1, 0);
      return Plan.of(new ScaledGemm(problem, matrix(call, "SA"), matrix(call, "SB")).prepare());
    }));
  }

  private static Matrix matrix(Call call, String name) {
    var at = call.argument(name);
    long all = at.extents().get(0) * at.strides().get(0) + at.extents().get(1) * at.strides().get(1);
    return new Matrix(name, at.offset(), at.strides().get(0), at.strides().get(1), Math.ceilDiv(all, 16) * 16);
  }
}
