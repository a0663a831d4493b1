package tilewright.kernels.attention;

import java.util.List;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.ptx.Dim3;

/** From a problem to a configuration to a launch of the SM80 kernel. */
public final class AttentionLaunch {
  private AttentionLaunch() {}

  /** Prepares the kernel in the configuration that fits the problem. */
  public static PreparedLaunch sm80(AttentionProblem problem) {
    return sm80(problem, shape(problem));
  }

  /** Prepares the kernel in given tiles. */
  public static PreparedLaunch sm80(AttentionProblem p, Sm80AttentionConfig.Shape shape) {
    var s = p.sizes();
    boolean exact = s.headDim() == shape.tileD() && s.valueDim() == shape.tileDv();
    var config = new Sm80AttentionConfig(p.type(), shape, exact, p.band(), p.modification(), p.packed().isPresent(),
        p.lse().isPresent());
    var kernel = CompiledKernel.compile(new Sm80Attention(config), Target.SM80);
    var arguments = LaunchArguments.of(kernel)
        .tensor("Q", tensor(p.q(), s.queries(), s.headDim(), s.heads(), s.batch(), true))
        .tensor("K", tensor(p.k(), s.keys(), s.headDim(), s.keyHeads(), s.batch(), true))
        .tensor("V", tensor(p.v(), s.keys(), s.valueDim(), s.keyHeads(), s.batch(), false))
        .tensor("O", tensor(p.o(), s.queries(), s.valueDim(), s.heads(), s.batch(), true))
        .scalar("scale", p.scale());
    p.lse().ifPresent(lse -> arguments.tensor("LSE", new LaunchArguments.Tensor(lse.buffer(), lse.offset(),
        List.of((long) s.queries(), (long) s.heads(), (long) s.batch()),
        List.of(lse.sequence(), lse.head(), lse.batch()))));
    p.packed().ifPresent(packed -> arguments.tensor("cuQ", lengths(packed.queries(), packed.sequences()))
        .tensor("cuK", lengths(packed.keys(), packed.sequences())));
    int queries = p.packed().map(AttentionProblem.Packed::longest).orElse(s.queries());
    int entries = p.packed().map(AttentionProblem.Packed::sequences).orElse(s.batch());
    long tiles = (long) Math.max(1, Math.ceilDiv(queries, shape.tileM())) * s.heads() * entries;
    return new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(tiles)), arguments.build());
  }

  private static LaunchArguments.Tensor lengths(String buffer, int sequences) {
    return new LaunchArguments.Tensor(buffer, 0, List.of(sequences + 1L), List.of(1L));
  }

  private static LaunchArguments.Tensor tensor(View view, long rows, long dim, long heads, long batch,
      boolean rowsFirst) {
    return new LaunchArguments.Tensor(view.buffer(), view.offset(),
        rowsFirst ? List.of(rows, dim, heads, batch) : List.of(dim, rows, heads, batch),
        rowsFirst ? List.of(view.sequence(), view.dim(), view.head(), view.batch())
            : List.of(view.dim(), view.sequence(), view.head(), view.batch()));
  }

  /** Tiles for a head dimension. */
  static Sm80AttentionConfig.Shape shape(AttentionProblem problem) {
    int dim = Math.max(problem.sizes().headDim(), problem.sizes().valueDim());
    for (var shape : Sm80AttentionShapes.ALL) {
      if (dim <= shape.tileD()) return shape;
    }
    throw new IllegalArgumentException("no SM80 attention kernel has head dimension " + dim + ": at most "
        + Sm80AttentionShapes.ALL.getLast().tileD());
  }
}
