package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;

/** The SM80 kernel on e4m3 operands, which {@code mma} multiplies from SM89 on. */
public final class Sm89AttentionKernel implements AttentionKernel {
  private static final int ACCESS_BYTES = 16;

  @Override
  public String name() {
    return "sm89_attention";
  }

  @Override
  public String arch() {
    return "sm89";
  }

  @Override
  public Optional<String> refusal(AttentionProblem problem) {
    if (problem.quantized().isEmpty()) return Optional.of(problem.type().text() + " operands need another kernel");
    var other = AttentionSpecs.refusalOfScales(problem).or(() -> AttentionSpecs.refusalOfColumns(problem))
        .or(() -> refusalOfPromotion(problem));
    if (other.isPresent()) return other;
    int most = Sm89AttentionShapes.MOST_DIM;
    if (problem.largestDim() > most) {
      return Optional.of("head dimension " + problem.largestDim() + " is more than " + most);
    }
    return refusalOfAlignment(problem).or(() -> refusalOfFactors(problem));
  }

  private static Optional<String> refusalOfPromotion(AttentionProblem p) {
    return p.promotes() ? Optional.of("P·V of blocks is not added to O in FP32 here: take sm90_attention, "
        + "sm100_attention, whose sums are FP32, or fast accumulation") : Optional.empty();
  }

  private static Optional<String> refusalOfAlignment(AttentionProblem p) {
    var s = p.sizes();
    int bytes = p.outputType().bytes();
    boolean aligned = Sm80AttentionKernel.vector(p) == ACCESS_BYTES
        && View.widestAccess(List.of(p.o()), bytes, s.valueDim()) == ACCESS_BYTES / bytes;
    return aligned ? Optional.empty()
        : Optional.of("head dimensions, strides and offsets are not multiples of " + ACCESS_BYTES + " bytes");
  }

  private static Optional<String> refusalOfFactors(AttentionProblem p) {
    int keys = Sm89AttentionShapes.of(p).tileN();
    return p.quantized().filter(q -> !divides(keys, q.k()) || !divides(keys, q.v()))
        .map(q -> "factors of " + q.k().rows() + " rows of K and " + q.v().rows() + " of V: multiples of " + keys);
  }

  private static boolean divides(int keys, Factors factors) {
    return factors.rows() == Factors.WHOLE || factors.rows() % keys == 0;
  }

  @Override
  public PreparedLaunch prepare(AttentionProblem problem) {
    return prepare(problem, Target.SM89);
  }

  /** Prepares the kernel for a target from SM89 on. */
  public PreparedLaunch prepare(AttentionProblem problem, Target target) {
    refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
    return Sm80AttentionKernel.prepare(problem, Sm89AttentionShapes.of(problem), Sm89AttentionShapes.packing(problem),
        target);
  }

  /** Prepares the kernel in given tiles, a row for each query. */
  public static PreparedLaunch prepare(AttentionProblem problem, Shape shape) {
    return Sm80AttentionKernel.prepare(problem, shape, HeadPacking.NONE, Target.SM89);
  }

  @Override
  public BlockMask blockMask(AttentionProblem problem) {
    return Sm80AttentionKernel.blockMask(problem, Sm89AttentionShapes.of(problem));
  }
}
