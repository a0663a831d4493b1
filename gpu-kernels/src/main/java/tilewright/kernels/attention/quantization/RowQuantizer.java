package tilewright.kernels.attention.quantization;

import java.util.List;
import java.util.Map;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.HeadQuantizer;

/**
 * Quantises Q, K or V: "X" (B,S,H,D) becomes codes "Y" (B,S,H,D) of an 8-bit float and factors "Factor" of FP32, after
 * the {@link RowTransform}. Element ≈ code · factor, as {@link HeadQuantizer} has it to the bit. A CTA has a block of
 * rows of one head in registers: every element is read once and every code written once.
 *
 * @param narrow e4m3 or e5m2
 */
public record RowQuantizer(RowTransform transform, ElementType narrow, Scaling scaling) implements Kernel {
  /** Has the conversions to 8-bit floats (PTX ISA, cvt: SM89). */
  public static final Target TARGET = Target.SM90A;

  public RowQuantizer {
    // Refuses other types.
    HeadQuantizer.limit(narrow);
  }

  @Override
  public String name() {
    return "quantize_rows_" + transform.text() + "_" + narrow.text() + "_" + scaling.text();
  }

  /**
   * Prepares a launch on tensors by name: X, Y, Factor; with {@link Scaling#HEAD} Amax; with a rotation C and T; with a
   * Hadamard transform Signs.
   *
   * @throws IllegalArgumentException naming the tensor that is not as the kernel needs it
   */
  public PreparedLaunch on(Map<String, LaunchArguments.Tensor> tensors) {
    return launch(CompiledKernel.compile(this, TARGET), tensors, transform.rows());
  }

  /** A CTA for each block of rows of each head. */
  static PreparedLaunch launch(CompiledKernel kernel, Map<String, LaunchArguments.Tensor> tensors, int rows) {
    var arguments = LaunchArguments.of(kernel);
    tensors.forEach(arguments::tensor);
    return new PreparedLaunch(kernel, grid(tensors.get("X").extents(), rows), arguments.build());
  }

  /** The grid for X (B,S,H,D): heads, blocks of rows, batch entries. */
  public static Dim3 grid(List<Long> x, int rows) {
    return new Dim3(Math.toIntExact(x.get(2)), Math.max(1, Math.toIntExact(Math.ceilDiv(x.get(1), rows))),
        Math.toIntExact(x.get(0)));
  }

  @Override
  public void trace(Scope k) {
    int threads = transform.threads();
    var thread = k.block(threads);
    var tile = BlockFactor.Tile.of(k);
    var zero = k.constant(0);
    var rows = TransformedRows.read(k, transform, thread, tile.batch(), tile.block(), tile.head());
    var magnitudes = rows.magnitudes();
    var factor = BlockFactor.of(k, scaling, narrow, HeadQuantizer.divisor(narrow, transform.hadamard(),
        transform.dim()), transform.root(), thread, threads, tile, magnitudes.largest());
    var y = k.global(TensorSpec.of("Y", narrow, "B", "S", "H", "D").contiguous("D").aligned(RowTransform.RUN)
        .fixed("D", transform.dim())).tile(List.of(1, transform.rows()), tile.batch(), tile.block(), tile.head(), zero);
    factor.store(magnitudes.finite(), (scaled, _) -> rows.forEach(row -> {
      for (int run = 0; run < row.runs().size(); run++) {
        var place = row.runs().get(run);
        var to = y.at(zero, place[0], zero, place[1]);
        var codes = row.of(run).stream().map(scaled).toList();
        k.when(to.inside(), () -> to.store(codes));
      }
    }));
  }
}
