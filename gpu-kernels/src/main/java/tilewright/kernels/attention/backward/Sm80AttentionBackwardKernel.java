package tilewright.kernels.attention.backward;

import java.util.Optional;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.ptx.Dim3;
import tilewright.ptx.Multiprocessor;

/**
 * The SM80 kernel of the gradients: from a problem to a configuration to launches.
 *
 * @param capability the compute capability, times ten, of the GPU that its tiles are chosen for
 */
public record Sm80AttentionBackwardKernel(int capability) implements AttentionBackwardKernel {
  /** The kernel in the tiles that an A100 holds. */
  public Sm80AttentionBackwardKernel() {
    this(Target.SM80.capability());
  }

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
  public Sm80AttentionBackwardKernel on(int gpu) {
    return new Sm80AttentionBackwardKernel(gpu);
  }

  @Override
  public Tiles tiles(AttentionBackwardProblem problem) {
    var shape = shape(problem);
    return new Tiles(shape.tileM(), shape.tileN(), 1);
  }

  @Override
  public LaunchSequence prepare(AttentionBackwardProblem problem) {
    return prepare(problem, shape(problem));
  }

  private Sm80BackwardConfig.Shape shape(AttentionBackwardProblem problem) {
    return Sm80BackwardShapes.of(problem, vector(problem), capability);
  }

  /** Prepares the kernel in given tiles. */
  public static LaunchSequence prepare(AttentionBackwardProblem problem, Sm80BackwardConfig.Shape shape) {
    var p = problem.forward();
    boolean exact = p.sizes().headDim() == shape.tileD() && p.sizes().valueDim() == shape.tileDv();
    var config = new Sm80BackwardConfig(p.type(), shape, vector(problem), exact, p.band().traced(),
        p.modification().traced(), p.packed().isPresent(), problem.deterministic(), p.blockMask(),
        Sm80BackwardShapes.walk(problem));
    var launches = new BackwardLaunches(problem, shape.tileM(), shape.tileN(), shape.tileD(),
        config.accumulatorOrder());
    int mostOfSm80 = Multiprocessor.of(Target.SM80.capability()).ctaSharedBytes();
    var target = shape.sharedBytes(p.type()) > mostOfSm80 ? Target.SM90 : Target.SM80;
    var kernel = CompiledKernel.compile(new Sm80AttentionBackward(config), target);
    return launches.around(new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(p.keyBlocks(shape.tileN()))),
        launches.arguments(kernel).build()));
  }

  private static int vector(AttentionBackwardProblem problem) {
    var p = problem.forward();
    return View.widestAccess(problem.views().toList(), p.type().bytes(), p.sizes().headDim(), p.sizes().valueDim());
  }
}
