package tilewright.sm90.attention;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.SplitKeys;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.ValueOrder;
import tilewright.kernels.attention.merging.BlockSplits;
import tilewright.kernels.attention.merging.PartialStates;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.choice.HeadOrder;
import tilewright.ptx.Dim3;
import tilewright.sm90.attention.Sm90AttentionConfig.CachePages;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;

/**
 * The Hopper kernel: from a problem to a configuration to a launch.
 *
 * @param packs whether heads that read the same keys share tiles where that is worth it
 * @param part where one kernel serves all pages of a cache whose rows are a multiple of this number, else none
 */
public record Sm90AttentionKernel(boolean packs, OptionalInt part) implements AttentionKernel {
  /** The buffer of the counter that tiles are drawn from: a 32-bit zero, which every launch leaves so. */
  public static final String COUNTER = "tiles";

  /** The argument with the keys that a batch entry has room for, where the launch reads how many it has. */
  static final String ROOM = "room";

  private static final int MOST_DIM = 256;
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  /** The order of heads under a mask by distance. */
  public static final HeadOrder HEADS = new HeadOrder(MULTIPROCESSORS, 32L << 20);

  /** The kernel in its fastest form. */
  public Sm90AttentionKernel() {
    this(true, OptionalInt.empty());
  }

  @Override
  public Sm90AttentionKernel withoutPacking() {
    return new Sm90AttentionKernel(false, part);
  }

  /** The kernel that the launch tells the rows of a page, which are a multiple of a number. */
  public Sm90AttentionKernel withPagesOf(int multiple) {
    return new Sm90AttentionKernel(packs, OptionalInt.of(multiple));
  }

  @Override
  public String name() {
    return "sm90_attention";
  }

  @Override
  public String arch() {
    return "sm90";
  }

  @Override
  public Optional<String> refusal(AttentionProblem problem) {
    return AttentionSpecs.refusalOfScales(problem).or(() -> refusalOfPromotion(problem))
        .or(() -> refusalOfFactors(problem)).or(() -> refusalOfListedColumns(problem))
        .or(() -> ServingRules.refusal(problem, part))
        .or(() -> AttentionSpecs.refusal(problem, shapes(problem).findFirst().isPresent(), "" + MOST_DIM));
  }

  private static Optional<String> refusalOfPromotion(AttentionProblem problem) {
    int most = Sm90AttentionShapes.MOST_PROMOTED_DIM;
    return problem.promotes() && problem.sizes().valueDim() > most
        ? Optional.of("P·V of blocks needs registers beside O: value dimension " + problem.sizes().valueDim()
            + " is more than " + most + ", so take fast accumulation") : Optional.empty();
  }

  private static Optional<String> refusalOfListedColumns(AttentionProblem problem) {
    return problem.blockMask() && problem.packed().isPresent()
        && ValueOrder.of(problem.v()) == ValueOrder.COLUMN_MAJOR
        ? Optional.of("blocks of column-major V of packed sequences begin before the sequences, but lists of blocks "
            + "count from their first keys: give rows of V, or skip no blocks") : Optional.empty();
  }

  private static Optional<String> refusalOfFactors(AttentionProblem problem) {
    var q = problem.quantized();
    return q.isEmpty() || shapes(problem).findFirst().isPresent() || problem.largestDim() > MOST_DIM ? Optional.empty()
        : Optional.of("factors of " + q.get().k().rows() + " rows of K and " + q.get().v().rows()
            + " of V: take multiples of 128");
  }

  @Override
  public Map<String, Long> zeros(AttentionProblem problem) {
    return Map.of(COUNTER, (long) Integer.BYTES);
  }

  /** The kernel in one launch: it splits no keys. */
  @Override
  public PreparedLaunch prepare(AttentionProblem problem) {
    requireSupported(problem);
    if (problem.serving().splits() instanceof KeySplits.Fixed(var keys)) {
      throw new IllegalArgumentException("splits of " + keys + " keys are merged by another launch: take launches");
    }
    var shape = Sm90AttentionShapes.of(problem, packs).findFirst().orElseThrow();
    return prepare(problem, shape, Sm90AttentionShapes.packing(problem, shape, packs), Optional.empty(), part);
  }

  private void requireSupported(AttentionProblem problem) {
    refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
  }

  @Override
  public LaunchSequence launches(AttentionProblem problem) {
    requireSupported(problem);
    var shape = Sm90AttentionShapes.ofSplits(problem, packs).findFirst().orElseThrow();
    var packing = Sm90AttentionShapes.packing(problem, shape, packs);
    return ServingRules.splits(problem, shape, packing, MULTIPROCESSORS)
        .map(splits -> launches(problem, shape, packing, splits, part))
        .orElseGet(() -> LaunchSequence.of(prepare(problem.with(problem.serving().with(KeySplits.AUTOMATIC)))));
  }

  /** The keys of a block where they are split and queries are few, by the head dimension. */
  public static Formula keysOfFewSplit(Formula headDim) {
    return Sm90AttentionShapes.keysOfFewSplit(headDim);
  }

  /** Prepares the kernel on splits of the keys, and the launch that merges their results. */
  public static LaunchSequence launches(AttentionProblem p, Shape shape, HeadPacking packing, BlockSplits splits) {
    return launches(p, shape, packing, splits, OptionalInt.empty());
  }

  private static LaunchSequence launches(AttentionProblem p, Shape shape, HeadPacking packing, BlockSplits splits,
      OptionalInt part) {
    var states = PartialStates.ofSplits(p, splits.count());
    return new LaunchSequence(List.of(prepare(p, shape, packing, Optional.of(splits), part),
        StateMerge.prepare(p, states, Target.SM90A)), states.workspace());
  }

  /** Prepares the kernel in a given shape, a row for each query. */
  public static PreparedLaunch prepare(AttentionProblem p, Shape shape) {
    return prepare(p, shape, HeadPacking.NONE);
  }

  /** Prepares the kernel in a given shape. */
  public static PreparedLaunch prepare(AttentionProblem p, Shape shape, HeadPacking packing) {
    return prepare(p, shape, packing, Optional.empty(), OptionalInt.empty());
  }

  private static PreparedLaunch prepare(AttentionProblem p, Shape shape, HeadPacking packing,
      Optional<BlockSplits> splits, OptionalInt part) {
    var config = config(p, shape, packing, splits.isPresent(), part);
    var groups = groups(p, config.queries(), packing);
    var kernel = CompiledKernel.compile(new Sm90Attention(config), Target.SM90A);
    var arguments = AttentionArguments.of(kernel, p)
        .integer(AttentionTileScheduler.HEADS_TOGETHER, (int) groups.together().value())
        .integer(AttentionTileScheduler.HEADS_BEFORE_LAST, (int) groups.beforeLast().value())
        .integer(ROOM, p.sizes().keys())
        .integer(PagedKeys.COUNT, p.serving().pages().map(Serving.Pages::count).orElse(0))
        .integer(PagedKeys.ROWS, p.serving().pages().map(Serving.Pages::rows).orElse(0))
        .tensor(COUNTER, new LaunchArguments.Tensor(COUNTER, 0, List.of(1L), List.of(1L)));
    config.tensors().giveTo(arguments, p);
    if (p.blockMask()) blockMask(p, shape).addTo(arguments);
    splits.ifPresent(s -> PartialStates.ofSplits(p, s.count()).addTo(arguments)
        .integer(SplitKeys.COUNT, s.count()).integer(SplitKeys.BLOCKS, s.blocks()));
    long tiles = p.tiles(config.queries()) / packing.heads() * splits.map(BlockSplits::count).orElse(1);
    int blocks = (int) Math.clamp(tiles, 1, MULTIPROCESSORS);
    return new PreparedLaunch(kernel, Dim3.of(blocks), arguments.build());
  }

  private static Sm90AttentionConfig config(AttentionProblem p, Shape shape, HeadPacking packing, boolean split,
      OptionalInt part) {
    return new Sm90AttentionConfig(p.type(), shape, p.band().traced(), p.modification().traced(),
        p.packed().isPresent(), p.blockMask(), p.statistics(), p.sinks().isPresent() && !split,
        packing, p.quantized().map(Sm90AttentionConfig.Quantized::of), ValueOrder.of(p.v()), split,
        p.serving().lengths().isPresent(), p.serving().padding().isPresent(),
        p.serving().pages().map(pages ->
            part.isPresent() ? new CachePages(OptionalInt.empty(), part.getAsInt()) : new CachePages(pages.rows())));
  }

  private static HeadOrder.Groups groups(AttentionProblem p, int queries, HeadPacking packing) {
    var s = p.sizes();
    var heads = Formula.of((double) s.heads() * s.batch() / packing.heads());
    var sharers = Formula.of((double) s.sharers() / packing.heads());
    var bytes = Formula.of(p.bytesOfKeys());
    return p.packed().isPresent() ? HEADS.inCache(heads, sharers, bytes)
        : HEADS.inWaves(heads, sharers, bytes, Formula.of(Math.ceilDiv(s.queries(), queries)));
  }

  /** The shapes that a problem can be computed in, the one that should be fastest first. */
  public static Stream<Shape> shapes(AttentionProblem problem) {
    return Sm90AttentionShapes.of(problem, true);
  }

  @Override
  public boolean anticipates(AttentionProblem problem) {
    return Sm90AttentionShapes.of(problem, packs).findFirst().orElseThrow().anticipates();
  }

  @Override
  public BlockMask blockMask(AttentionProblem problem) {
    return blockMask(problem, shapes(problem).findFirst().orElseThrow());
  }

  private static BlockMask blockMask(AttentionProblem problem, Shape shape) {
    return new BlockMask(problem, shape.rows(), shape.keys());
  }
}
