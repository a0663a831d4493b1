package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.AttentionVariant.Accesses;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;

/**
 * The SM80 kernel on e4m3 operands, which {@code mma} multiplies from SM89 on.
 *
 * @param converted whether it is for a GPU that has no {@code mma.sync} of bytes, and multiplies f16: Hopper, SM100
 */
public record Sm89AttentionKernel(boolean converted) implements AttentionKernel {
  private static final int ACCESS_BYTES = 16;

  /** The kernel in the tiles of SM89 and SM120. */
  public Sm89AttentionKernel() {
    this(false);
  }

  @Override
  public Sm89AttentionKernel on(int capability) {
    return new Sm89AttentionKernel(capability > Target.SM89.capability() && capability < Target.SM120.capability());
  }

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
    return AttentionSpecs.refusalOfScales(problem).or(() -> refusalOfOperands(problem))
        .or(() -> refusalOfPromotion(problem)).or(() -> refusalOfFactors(problem));
  }

  /** Why Q, K, V or O of a problem of 8-bit operands cannot be copied, whatever factors they have, if they cannot. */
  public static Optional<String> refusalOfOperands(AttentionProblem p) {
    int most = Sm89AttentionShapes.MOST_DIM;
    return AttentionSpecs.refusalOfColumns(p).or(() -> AttentionSpecs.refusalOfServing(p))
        .or(() -> p.largestDim() <= most ? Optional.empty()
        : Optional.of("head dimension " + p.largestDim() + " is more than " + most)).or(() -> refusalOfAlignment(p));
  }

  private static Optional<String> refusalOfPromotion(AttentionProblem p) {
    return p.promotes() ? Optional.of("P·V of blocks is not added to O in FP32 here: take sm90_attention, "
        + "sm100_attention, whose sums are FP32, or fast accumulation") : Optional.empty();
  }

  private static Optional<String> refusalOfAlignment(AttentionProblem p) {
    var s = p.sizes();
    int bytes = p.outputType().bytes();
    boolean aligned = Accesses.of(p).areAll(ACCESS_BYTES)
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
    return prepare(problem, Sm89AttentionShapes.of(problem, converted), Sm89AttentionShapes.packing(problem),
        Optional.empty(), target);
  }

  /** Prepares the kernel in given tiles, a row for each query. */
  public static PreparedLaunch prepare(AttentionProblem problem, Shape shape) {
    return prepare(problem, shape, HeadPacking.NONE, Optional.empty(), Target.SM89);
  }

  /** A way to the scales of blocks for tiles and rows of heads. */
  @FunctionalInterface
  public interface Scaling {
    BlockScales in(Shape shape, HeadPacking packing);
  }

  /** Prepares the kernel for tensor cores that multiply by the scales of blocks. */
  public static PreparedLaunch prepare(AttentionProblem problem, Scaling scaling, Target target) {
    var packing = Sm89AttentionShapes.packing(problem);
    return prepare(problem, Sm89AttentionShapes.of(problem), packing, scaling, target);
  }

  /** Prepares the kernel in given tiles for tensor cores that multiply by the scales of blocks. */
  public static PreparedLaunch prepare(AttentionProblem problem, Shape shape, HeadPacking packing, Scaling scaling,
      Target target) {
    return prepare(problem, shape, packing, Optional.of(scaling.in(shape, packing)), target);
  }

  private static PreparedLaunch prepare(AttentionProblem problem, Shape shape, HeadPacking packing,
      Optional<BlockScales> scales, Target target) {
    return Sm80AttentionKernel.prepare(problem, shape, packing, scales, target);
  }

  @Override
  public BlockMask blockMask(AttentionProblem problem) {
    return Sm80AttentionKernel.blockMask(problem, Sm89AttentionShapes.of(problem, converted));
  }
}
