package tilewright.sm120;

import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;
import tilewright.kernels.attention.Sm89AttentionKernel;
import tilewright.sm100.attention.Mxf8Scales;

/** The SM80 kernel on mxf8 operands, which {@code mma} with block scales multiplies on SM120. */
public final class Sm120AttentionKernel implements AttentionKernel {
  private static final Sm89AttentionKernel TILES = new Sm89AttentionKernel();

  @Override
  public String name() {
    return "sm120_attention";
  }

  @Override
  public String arch() {
    return "sm120";
  }

  @Override
  public Optional<String> refusal(AttentionProblem problem) {
    if (!problem.blockScaled()) return Optional.of(problem.format() + " operands need another kernel");
    return Sm89AttentionKernel.refusalOfOperands(problem).or(() -> Mxf8Scales.refusal(problem));
  }

  @Override
  public PreparedLaunch prepare(AttentionProblem problem) {
    refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
    return Sm89AttentionKernel.prepare(problem, (shape, packing) -> scales(problem, shape, packing), Target.SM120A);
  }

  /** Prepares the kernel in given tiles, a row for each query. */
  public static PreparedLaunch prepare(AttentionProblem problem, Shape shape) {
    return Sm89AttentionKernel.prepare(problem, shape, HeadPacking.NONE,
        (tiles, packing) -> scales(problem, tiles, packing), Target.SM120A);
  }

  private static Sm120AttentionScales scales(AttentionProblem problem, Shape shape, HeadPacking packing) {
    return new Sm120AttentionScales(shape, packing, problem.packed().isPresent(),
        problem.quantized().orElseThrow().probabilities());
  }

  @Override
  public BlockMask blockMask(AttentionProblem problem) {
    return TILES.blockMask(problem);
  }
}
