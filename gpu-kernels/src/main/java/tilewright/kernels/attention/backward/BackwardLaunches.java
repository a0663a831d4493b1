package tilewright.kernels.attention.backward;

import java.util.List;
import java.util.Map;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.TileMask;
import tilewright.layout.Layout;
import tilewright.ptx.Dim3;

/**
 * The launches around a kernel of gradients.
 *
 * @param tileM queries of a tile
 * @param tileN keys of a block
 * @param tileD head dimension of the tiles of Q
 * @param order place among a tile's accumulators of dQ → column-major index in the tile (tileM, tileD)
 */
public record BackwardLaunches(AttentionBackwardProblem problem, int tileM, int tileN, int tileD, Layout order) {
  /** The arguments of the kernel of gradients: those of the forward pass, dO, dK, dV and the workspace. */
  public LaunchArguments arguments(CompiledKernel kernel) {
    var arguments = AttentionArguments.of(kernel, problem.forward());
    tensors(problem).forEach(arguments::tensor);
    workspace().addTo(arguments);
    if (problem.forward().blockMask()) {
      new TileMask(problem.forward(), tileM, tileN, problem.deterministic()).addTo(arguments);
    }
    return arguments;
  }

  /** The gradients with the modes of O, Q, K and V: dO and dQ by queries, dK by keys, dV with keys as its second. */
  public static Map<String, LaunchArguments.Tensor> tensors(AttentionBackwardProblem p) {
    var gradients = AttentionArguments.tensors(p.forward().at(p.dQ(), p.dK(), p.dV(), p.dO()));
    return Map.of("dQ", gradients.get("Q"), "dK", gradients.get("K"), "dV", gradients.get("V"),
        "dO", gradients.get("O"));
  }

  /** The whole sequence. */
  public LaunchSequence around(PreparedLaunch gradients) {
    return new LaunchSequence(List.of(preprocess(), gradients, postprocess()), workspace().buffers());
  }

  private GradientWorkspace workspace() {
    return new GradientWorkspace(problem, tileM, tileD);
  }

  private PreparedLaunch preprocess() {
    var p = problem.forward();
    int vector = View.widestAccess(List.of(p.o(), problem.dO()), p.type().bytes(), p.sizes().valueDim());
    return launch(new BackwardPreprocess(p.type(), vector, tileM, tileD, p.sizes().valueDim(), p.packed().isPresent(),
        problem.deterministic()));
  }

  private PreparedLaunch postprocess() {
    var p = problem.forward();
    int vector = View.widestAccess(List.of(problem.dQ()), p.type().bytes(), p.sizes().headDim());
    return launch(new BackwardPostprocess(p.type(), vector, tileM, tileD, order, p.packed().isPresent()));
  }

  private PreparedLaunch launch(Kernel kernel) {
    var compiled = CompiledKernel.compile(kernel, Target.SM80);
    int slots = Math.toIntExact(workspace().slots());
    return new PreparedLaunch(compiled, new Dim3(slots, problem.forward().sizes().heads(), 1),
        arguments(compiled).build());
  }
}
