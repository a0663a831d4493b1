package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.LaunchSequence;

/** A way to compute attention's gradients. */
public interface AttentionBackwardKernel {

  String name();

  /** The architecture it needs, such as {@code sm80}. */
  String arch();

  /** Why it cannot compute a problem, if it cannot. */
  Optional<String> refusal(AttentionBackwardProblem problem);

  /**
   * The extents of the tiles in which the gradients of a problem are computed.
   *
   * @param queries of a tile, which a CTA visits in a step of its loop
   * @param keys of a CTA's block
   * @param ctas that multiply together
   */
  record Tiles(int queries, int keys, int ctas) {}

  /**
   * The kernel in the tiles that a GPU's shared memory allows.
   *
   * @param capability the GPU's compute capability times ten, such as 90
   */
  default AttentionBackwardKernel on(int capability) {
    return this;
  }

  /** The tiles of a problem that it can compute. */
  Tiles tiles(AttentionBackwardProblem problem);

  /** The lists of tiles that a problem that skips blocks needs, in the tiles that {@link #prepare} takes. */
  default TileMask tileMask(AttentionBackwardProblem problem) {
    var tiles = tiles(problem);
    return new TileMask(problem.forward(), tiles.queries(), tiles.keys() * tiles.ctas(), problem.deterministic());
  }

  /**
   * The launches: D = rowsum(O ∘ dO) of every row, the gradients, and dQ in the operands' type.
   *
   * @throws IllegalArgumentException where there is a {@link #refusal}, or tensors break what the kernel relies on
   */
  LaunchSequence prepare(AttentionBackwardProblem problem);
}
