package tilewright.sm90.attention.backward;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.backward.BackwardLaunches;
import tilewright.kernels.attention.backward.DeterministicOrder;
import tilewright.ptx.Dim3;
import tilewright.sm90.attention.backward.Sm90BackwardConfig.Shape;

/** Hopper's gradients: from a problem to a configuration to launches. */
public final class Sm90AttentionBackwardKernel implements AttentionBackwardKernel {
  /** Tiles that a block stays behind the one before it: what passing the turn on takes. */
  private static final int LAG = 2;
  /** Heads together where the tiles of Q and dO of more would not stay in L2. */
  private static final int ONE_HEAD = 1;
  /** Blocks per SM up to which the longest of all heads come first. */
  private static final int FEW = 8;
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  /** The shapes in the order of head dimensions. */
  private static final List<Shape> PLAIN = List.of(new Shape(32, 32, 2, 128, 2, false, 24),
      new Shape(64, 64, 2, 128, 2, false, 24), new Shape(128, 128, 2, 64, 2, false, 40),
      new Shape(192, 128, 2, 64, 2, true, 40), new Shape(192, 192, 2, 64, 2, true, 40),
      new Shape(256, 256, 2, 64, 2, true, 40));
  /** Shapes for functions of scores and what is read for each, which take registers, and for some forms in order. */
  private static final List<Shape> SCORED = List.of(new Shape(64, 64, 2, 64, 2, false, 40),
      new Shape(128, 128, 2, 64, 2, true, 40), new Shape(192, 128, 2, 64, 2, true, 40),
      new Shape(192, 192, 2, 64, 2, true, 40), new Shape(256, 256, 2, 64, 2, true, 40));

  /** The shape for what only adds to scores or hides them, beyond head dimension 64: derivatives take no registers. */
  private static final Shape ADDING = new Shape(128, 128, 2, 64, 2, false, 24);

  @Override
  public String name() {
    return "sm90_attention_backward";
  }

  @Override
  public String arch() {
    return "sm90";
  }

  @Override
  public Optional<String> refusal(AttentionBackwardProblem problem) {
    return AttentionSpecs.refusal(problem, shape(problem).isPresent(), "256");
  }

  @Override
  public Tiles tiles(AttentionBackwardProblem problem) {
    var shape = shape(problem).orElseThrow();
    return new Tiles(shape.queries(), shape.keys(), 1);
  }

  @Override
  public LaunchSequence prepare(AttentionBackwardProblem problem) {
    refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
    return prepare(problem, shape(problem).orElseThrow());
  }

  private static Optional<Shape> shape(AttentionBackwardProblem problem) {
    var p = problem.forward();
    boolean many = p.modification().score().isPresent() || p.modification().captures().perScore() || p.blockMask()
        || problem.deterministic() && (p.packed().isPresent() || isMaskedInWindow(p));
    var shapes = many ? SCORED : PLAIN;
    if (many && isAdding(problem)) shapes = Stream.concat(Stream.of(ADDING), SCORED.stream()).toList();
    return shapes.stream().filter(s -> p.sizes().headDim() <= s.headDim() && p.sizes().valueDim() <= s.valueDim())
        .findFirst();
  }

  /** Whether there are a window and a mask function: added in order, the larger tiles of 64 spill 16 bytes. */
  private static boolean isMaskedInWindow(AttentionProblem p) {
    return p.modification().mask().isPresent() && p.band().left().isPresent() && p.largestDim() <= 64;
  }

  private static boolean isAdding(AttentionBackwardProblem problem) {
    var p = problem.forward();
    boolean readsTurns = problem.deterministic() && p.blockMask();
    return p.largestDim() > 64 && p.packed().isEmpty() && !readsTurns && p.modification().adds()
        && p.modification().captures().differentiated().isEmpty();
  }

  /** Prepares the kernel in a given shape. */
  public static LaunchSequence prepare(AttentionBackwardProblem problem, Shape shape) {
    var p = problem.forward();
    int blocks = Math.toIntExact(p.keyBlocks(shape.keys()));
    int together = headsTogether(problem, shape, blocks);
    var config = new Sm90BackwardConfig(p.type(), shape, p.band().traced(), p.modification().traced(),
        p.packed().isPresent(), problem.deterministic(), p.blockMask());
    var kernel = CompiledKernel.compile(new Sm90AttentionBackward(config), Target.SM90A);
    var launches = new BackwardLaunches(problem, shape.queries(), shape.keys(), shape.headDim(),
        new QueryGradient(config).order());
    var arguments = launches.arguments(kernel).integer(AttentionTileScheduler.HEADS_TOGETHER, together);
    config.tensors().giveTo(arguments, AttentionArguments.tensors(p));
    config.tensors().giveTo(arguments, BackwardLaunches.tensors(problem));
    return launches.around(new PreparedLaunch(kernel, Dim3.of(blocks), arguments.build()));
  }

  /**
   * Heads whose blocks run side by side. Blocks of one head share its Q and dO in L2. Where a diagonal makes the first
   * blocks the longest and there are few, those of all heads come first (longest-processing-time-first).
   *
   * <p>Where the order of additions is fixed, the last blocks come first, and begin at their diagonals. Without one,
   * blocks of a head follow each other through its tiles, {@link #LAG} tiles apart: those that the GPU runs at a time
   * must not reach beyond the last tile.
   */
  private static int headsTogether(AttentionBackwardProblem problem, Shape shape, int blocks) {
    var p = problem.forward();
    boolean diagonal = p.band().right().isPresent();
    if (problem.deterministic()) {
      var order = new DeterministicOrder(p.band(), shape.queries(), shape.keys());
      return diagonal ? ONE_HEAD : order.headsForLag(p.sizes().queries(), LAG, MULTIPROCESSORS);
    }
    return diagonal && blocks <= FEW * MULTIPROCESSORS ? Math.max(ONE_HEAD, blocks) : ONE_HEAD;
  }
}
