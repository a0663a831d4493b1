package tilewright.kernels.attention.backward;

import java.util.Optional;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.ptx.Dim3;

/** The SM80 kernel of the gradients: from a problem to a configuration to launches. */
public final class Sm80AttentionBackwardKernel implements AttentionBackwardKernel {
  private static final int WIDEST_ACCESS_BYTES = 16;

  @Override
  public String name() {
    return "sm80_attention_backward";
  }

  @Override
  public String arch() {
    return "sm80";
  }

  @Override
  public Optional<String> refusal(AttentionBackwardProblem problem) {
    int most = Sm80BackwardShapes.MOST_DIM;
    var p = problem.forward();
    return p.largestDim() <= most ? Optional.empty()
        : Optional.of("head dimension " + p.largestDim() + " is more than " + most);
  }

  @Override
  public LaunchSequence prepare(AttentionBackwardProblem problem) {
    return prepare(problem, Sm80BackwardShapes.of(problem, vector(problem)));
  }

  /** Prepares the kernel in given tiles. */
  public static LaunchSequence prepare(AttentionBackwardProblem problem, Sm80BackwardConfig.Shape shape) {
    var p = problem.forward();
    boolean exact = p.sizes().headDim() == shape.tileD() && p.sizes().valueDim() == shape.tileDv();
    var config = new Sm80BackwardConfig(p.type(), shape, vector(problem), exact, p.band(), p.modification(),
        p.packed().isPresent(), problem.deterministic());
    var launches = new BackwardLaunches(problem, shape.tileM(), shape.tileD(), config.accumulatorOrder());
    var kernel = CompiledKernel.compile(new Sm80AttentionBackward(config), Target.SM80);
    return launches.around(new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(blocks(p, shape.tileN()))),
        launches.arguments(kernel).build()));
  }

  /** Blocks of so many keys of all heads; of packed sequences, the places that blocks may have. */
  private static long blocks(AttentionProblem p, int keys) {
    var s = p.sizes();
    return s.keyHeads() * p.packed().map(lengths -> PackedTiles.slots(s.keys(), lengths.sequences(), keys))
        .orElse((long) Math.ceilDiv(s.keys(), keys) * s.batch());
  }

  /** Neighbours along the head dimensions that an access may move in every tensor. */
  private static int vector(AttentionBackwardProblem problem) {
    var s = problem.forward().sizes();
    int bytes = problem.forward().type().bytes();
    int vector = WIDEST_ACCESS_BYTES / bytes;
    while (vector > 1) {
      int now = vector;
      if (s.headDim() % now == 0 && s.valueDim() % now == 0
          && problem.views().allMatch(view -> view.isAligned(now, bytes))) break;
      vector /= 2;
    }
    return vector;
  }
}
