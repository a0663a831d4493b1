package tilewright.sm100.attention.backward;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.backward.BackwardLaunches;
import tilewright.ptx.Dim3;
import tilewright.sm100.attention.backward.Sm100BackwardConfig.Shape;

/** The Blackwell kernel of the gradients: from a problem to a configuration to launches. */
public final class Sm100AttentionBackwardKernel implements AttentionBackwardKernel {
  private static final int ALIGNED_BYTES = 16;
  /** Heads of K whose blocks run side by side, so that Q and dO of their sharers stay in L2. */
  private static final int HEADS_TOGETHER = 16;
  private static final Shape PAIR = new Shape(128, 128, 1, 1, 1, 2);
  private static final List<Shape> SHAPES = List.of(new Shape(64, 64, 2, 2, 2, 1), PAIR,
      new Shape(128, 128, 2, 1, 2, 1), new Shape(192, 128, 1, 1, 2, 1));

  @Override
  public String name() {
    return "sm100_attention_backward";
  }

  @Override
  public String arch() {
    return "sm100";
  }

  @Override
  public Optional<String> refusal(AttentionBackwardProblem problem) {
    var p = problem.forward();
    var captures = p.modification().captures();
    if (!captures.differentiated().isEmpty() && !p.modification().adds()) {
      return Optional.of("gradients of captured tensors that functions do more with than add need another kernel");
    }
    // The places of their elements would take more registers than there are.
    if (captures.differentiated().stream().anyMatch(name -> captures.tensors().get(name).tensor().rank() > 2)) {
      return Optional.of("gradients of captured tensors of more than 2 indices need another kernel");
    }
    int vector = ALIGNED_BYTES / p.type().bytes();
    if (!Stream.of(p.q(), p.k(), p.v(), problem.dO(), problem.dK(), problem.dV())
        .allMatch(view -> view.isAligned(vector, p.type().bytes()))) {
      return Optional.of("tensor copies need strides and offsets of " + ALIGNED_BYTES + " bytes");
    }
    return shape(p).isPresent() ? Optional.empty() : Optional.of("head dimensions " + p.sizes().headDim() + " and "
        + p.sizes().valueDim() + " are more than " + SHAPES.getLast().headDim() + " and "
        + SHAPES.getLast().valueDim());
  }

  @Override
  public Tiles tiles(AttentionBackwardProblem problem) {
    int ctas = shape(problem.forward()).orElseThrow().ctas();
    return new Tiles(Sm100BackwardConfig.QUERIES, Sm100BackwardConfig.KEYS, ctas);
  }

  @Override
  public LaunchSequence prepare(AttentionBackwardProblem problem) {
    refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
    var p = problem.forward();
    var shape = shape(p).orElseThrow();
    var config = new Sm100BackwardConfig(p.type(), shape, HEADS_TOGETHER, p.band().traced(), p.modification().traced(),
        p.packed().isPresent(), problem.deterministic(), p.blockMask());
    var kernel = CompiledKernel.compile(new Sm100AttentionBackward(config), Target.SM100A);
    var launches = new BackwardLaunches(problem, Sm100BackwardConfig.QUERIES, shape.keys(), shape.headDim(),
        config.accumulatorOrder());
    var arguments = launches.arguments(kernel);
    config.tensors().giveTo(arguments, AttentionArguments.tensors(p));
    config.tensors().giveTo(arguments, BackwardLaunches.tensors(problem));
    var grid = Dim3.of(Math.toIntExact(shape.ctas() * p.keyBlocks(shape.keys())));
    return launches.around(new PreparedLaunch(kernel, grid, arguments.build()));
  }

  /** The smallest tiles that have the head dimensions; a pair where there are keys for both CTAs. */
  private static Optional<Shape> shape(AttentionProblem p) {
    var s = p.sizes();
    return SHAPES.stream().filter(shape -> s.headDim() <= shape.headDim() && s.valueDim() <= shape.valueDim())
        .filter(shape -> !shape.paired() || s.keys() > Sm100BackwardConfig.KEYS).findFirst();
  }
}
