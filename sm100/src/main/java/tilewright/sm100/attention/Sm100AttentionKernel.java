package tilewright.sm100.attention;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.ValueOrder;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.choice.HeadOrder;
import tilewright.ptx.Dim3;
import tilewright.sm100.attention.Sm100AttentionConfig.Quantized;
import tilewright.sm100.attention.Sm100AttentionConfig.Shape;

/**
 * The Blackwell kernel: from a problem to a configuration to a launch.
 *
 * @param cancelling whether CTAs take over the tiles of CTAs that have not begun (cluster launch control), instead of
 *     taking turns
 * @param target SM100A, or SM103A, whose loads from Tensor Memory find the largest score of a row
 */
public record Sm100AttentionKernel(boolean cancelling, Target target) implements AttentionKernel {
  private static final int MULTIPROCESSORS = Chip.B200.multiprocessors();
  /** The order of heads under a mask by distance. */
  public static final HeadOrder HEADS = new HeadOrder(MULTIPROCESSORS, 50L << 20);
  private static final List<Shape> SHAPES = List.of(new Shape(64, 64, 128, 6, 4), new Shape(96, 96, 128, 4, 4),
      new Shape(128, 128, 128, 3, 3), new Shape(192, 128, 64, 5, 4));
  /** Fewer keys per block: bands, score modifications and launch control take registers. */
  private static final List<Shape> FEW_KEYS = List.of(new Shape(64, 64, 64, 6, 4), new Shape(96, 96, 64, 6, 4),
      new Shape(128, 128, 64, 6, 4), new Shape(192, 128, 64, 5, 4));

  /** Shapes of 8-bit operands, whose P takes half of the registers. */
  private static final List<Shape> NARROW = List.of(new Shape(64, 64, 128, 8, 4), new Shape(96, 96, 128, 8, 4),
      new Shape(128, 128, 128, 6, 3), new Shape(192, 128, 128, 4, 3));
  private static final List<Shape> NARROW_FEW_KEYS = List.of(new Shape(64, 64, 64, 8, 4), new Shape(96, 96, 64, 8, 4),
      new Shape(128, 128, 64, 8, 4), new Shape(192, 128, 64, 8, 4));

  /** Shapes of mxf8 operands, whose scales need columns of Tensor Memory that S or O leaves. */
  private static final List<Shape> SCALED = List.of(new Shape(64, 64, 128, 8, 4), new Shape(96, 96, 128, 8, 4),
      new Shape(128, 128, 64, 8, 4), new Shape(192, 128, 64, 8, 4));

  /** The kernel whose CTAs take turns at tiles. */
  public Sm100AttentionKernel() {
    this(false);
  }

  /** The kernel for SM100A. */
  public Sm100AttentionKernel(boolean cancelling) {
    this(cancelling, Target.SM100A);
  }

  @Override
  public Sm100AttentionKernel on(int capability) {
    return new Sm100AttentionKernel(cancelling, capability == Target.SM103A.capability() ? Target.SM103A
        : Target.SM100A);
  }

  @Override
  public String name() {
    return "sm100_attention";
  }

  @Override
  public String arch() {
    return "sm100";
  }

  @Override
  public Optional<String> refusal(AttentionProblem problem) {
    var largest = SHAPES.getLast();
    boolean fits = largest.covers(problem.sizes());
    return AttentionSpecs.refusalOfPackedColumns(problem).or(() -> AttentionSpecs.refusalOfServing(problem))
        .or(() -> AttentionSpecs.refusalOfApart(problem))
        .or(() -> AttentionSpecs.refusal(problem, fits, largest.headDim() + " and " + largest.valueDim()))
        .or(() -> problem.blockScaled() ? Mxf8Scales.refusal(problem) : Optional.empty())
        .or(() -> shape(problem, cancelling).isPresent() ? Optional.empty() : Optional.of("blocks of "
            + NARROW_FEW_KEYS.getFirst().keys() + " keys need one factor of K and one of V each: factors of "
            + problem.quantized().orElseThrow().k().rows() + " and " + problem.quantized().orElseThrow().v().rows()
            + " rows are no multiples"));
  }

  @Override
  public PreparedLaunch prepare(AttentionProblem problem) {
    refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
    return prepare(problem, shape(problem, cancelling).orElseThrow(), cancelling, target);
  }

  /** Prepares the kernel in a given shape. */
  public static PreparedLaunch prepare(AttentionProblem p, Shape shape) {
    return prepare(p, shape, false, Target.SM100A);
  }

  /** Prepares the kernel in a given shape, perhaps with CTAs that take over the tiles of others. */
  public static PreparedLaunch prepare(AttentionProblem p, Shape shape, boolean cancelling) {
    return prepare(p, shape, cancelling, Target.SM100A);
  }

  private static PreparedLaunch prepare(AttentionProblem p, Shape shape, boolean cancelling, Target target) {
    boolean ultra = target.equals(Target.SM103A);
    // Blackwell Ultra has twice the units for exponentials, so that FMA units need not help.
    var config = new Sm100AttentionConfig(p.type(), ultra ? shape.withoutEmulation() : shape,
        p.band().traced(), p.modification().traced(), p.packed().isPresent(), p.blockMask(),
        p.lse().isPresent(), p.sinks().isPresent(), cancelling, p.quantized().map(Quantized::of), ValueOrder.of(p.v()),
        ultra);
    var kernel = CompiledKernel.compile(new Sm100Attention(config), target);
    var arguments = AttentionArguments.of(kernel, p)
        .integer(AttentionTileScheduler.HEADS_TOGETHER, headsTogether(p));
    config.tensors().giveTo(arguments, p);
    if (config.blockScaled()) Mxf8Scales.giveTo(arguments, p);
    if (p.blockMask()) blockMask(p, shape).addTo(arguments);
    // Where tiles take unequal time, one CTA per tile lets the hardware fill gaps.
    long most = cancelling || p.band().right().isPresent() ? Integer.MAX_VALUE : MULTIPROCESSORS;
    return new PreparedLaunch(kernel, Dim3.of((int) Math.clamp(p.tiles(config.queries()), 1, most)), arguments.build());
  }

  private static int headsTogether(AttentionProblem p) {
    var s = p.sizes();
    return (int) HEADS.inCache(Formula.of((double) s.heads() * s.batch()), Formula.of(s.sharers()),
        Formula.of(p.bytesOfKeys())).together().value();
  }

  @Override
  public BlockMask blockMask(AttentionProblem problem) {
    return blockMask(problem, shape(problem, cancelling).orElseThrow());
  }

  private static BlockMask blockMask(AttentionProblem problem, Shape shape) {
    return new BlockMask(problem, Sm100AttentionConfig.TILES * Sm100AttentionConfig.ROWS, shape.keys());
  }

  /** The shape that should be fastest, if there is one. */
  public static Optional<Shape> shape(AttentionProblem problem) {
    return shape(problem, false);
  }

  private static Optional<Shape> shape(AttentionProblem problem, boolean cancelling) {
    var s = problem.sizes();
    boolean plain = !cancelling && problem.band().isAll() && problem.modification().equals(Modification.NONE);
    var quantized = problem.quantized().map(Quantized::of);
    var many = problem.blockScaled() ? SCALED : quantized.isPresent() ? NARROW : SHAPES;
    var few = quantized.isPresent() ? NARROW_FEW_KEYS : FEW_KEYS;
    return Stream.concat(plain ? many.stream() : Stream.empty(), few.stream())
        .filter(shape -> shape.covers(s) && quantized.stream().allMatch(q -> q.haveFactorPerBlock(shape.keys())))
        .findFirst();
  }
}
