package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionVariant.Accesses;
import tilewright.ptx.Dim3;
import tilewright.ptx.Multiprocessor;

/**
 * The SM80 kernel: from a problem to a configuration to a launch. Up to a head dimension of 256 it is FlashAttention-2,
 * beyond FFPA.
 *
 * @param capability the compute capability, times ten, of the GPU that its tiles are chosen for
 * @param packs whether heads that read the same keys share tiles where that is worth it
 */
public record Sm80AttentionKernel(int capability, boolean packs) implements AttentionKernel {
  /** The kernel in the tiles that an A100 holds. */
  public Sm80AttentionKernel() {
    this(Target.SM80.capability(), true);
  }

  @Override
  public String name() {
    return "sm80_attention";
  }

  @Override
  public String arch() {
    return "sm80";
  }

  @Override
  public Optional<String> refusal(AttentionProblem problem) {
    int most = Sm80FfpaConfig.MOST_DIM;
    return AttentionSpecs.refusalOfQuantized(problem).or(() -> AttentionSpecs.refusalOfServing(problem))
        .or(() -> problem.largestDim() <= most ? Optional.empty()
        : Optional.of("head dimension " + problem.largestDim() + " is more than " + most));
  }

  @Override
  public Sm80AttentionKernel on(int gpu) {
    return new Sm80AttentionKernel(gpu, packs);
  }

  @Override
  public Sm80AttentionKernel withoutPacking() {
    return new Sm80AttentionKernel(capability, false);
  }

  @Override
  public PreparedLaunch prepare(AttentionProblem problem) {
    if (isWide(problem)) return prepare(problem, Sm80FfpaConfig.of(problem, sm()), Target.SM80);
    var packing = packing(problem);
    return prepare(problem, Sm80AttentionShapes.of(problem, capability, packing), packing);
  }

  private Multiprocessor sm() {
    return Multiprocessor.of(capability);
  }

  private static boolean isWide(AttentionProblem problem) {
    return problem.largestDim() > Sm80AttentionShapes.MOST_DIM;
  }

  private HeadPacking packing(AttentionProblem problem) {
    return packs ? Sm80AttentionShapes.packing(problem) : HeadPacking.NONE;
  }

  /** Prepares the kernel in given tiles, a row for each query. */
  public static PreparedLaunch prepare(AttentionProblem p, Sm80AttentionConfig.Shape shape) {
    return prepare(p, shape, HeadPacking.NONE);
  }

  /** Prepares the kernel in given tiles. */
  public static PreparedLaunch prepare(AttentionProblem p, Sm80AttentionConfig.Shape shape, HeadPacking packing) {
    return prepare(p, shape, packing, Optional.empty(), Target.SM80);
  }

  /** Prepares the kernel in given tiles for a target: SM89 or later where operands have 8 bits. */
  static PreparedLaunch prepare(AttentionProblem p, Sm80AttentionConfig.Shape shape, HeadPacking packing,
      Optional<BlockScales> scales, Target target) {
    var s = p.sizes();
    boolean exact = s.headDim() == shape.tileD() && s.valueDim() == shape.tileDv();
    var config = new Sm80AttentionConfig(p.type(), shape, Accesses.of(p), exact, p.band().traced(),
        p.modification().traced(), p.packed().isPresent(), p.blockMask(), p.statistics(), p.sinks().isPresent(),
        packing, p.quantized(), scales);
    return prepare(p, config, target);
  }

  private static PreparedLaunch prepare(AttentionProblem p, AttentionVariant config, Target target) {
    var s = p.sizes();
    var packing = config.packing();
    var kernel = CompiledKernel.compile(new Sm80Attention(config), target);
    var arguments = AttentionArguments.of(kernel, p);
    config.blockScales().ifPresent(scales -> scales.giveTo(arguments, p));
    if (p.blockMask()) blockMask(p, config.tiling()).addTo(arguments);
    int queries = p.packed().map(AttentionProblem.Packed::longest).orElse(s.queries());
    int entries = p.packed().map(AttentionProblem.Packed::sequences).orElse(s.batch());
    long tiles = Math.ceilDiv((long) queries * packing.heads(), config.tiling().tileM())
        * (s.heads() / packing.heads()) * entries;
    return new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(tiles)), arguments.build());
  }

  @Override
  public BlockMask blockMask(AttentionProblem problem) {
    return isWide(problem) ? blockMask(problem, Sm80FfpaConfig.of(problem, sm()).tiling())
        : blockMask(problem, Sm80AttentionShapes.of(problem, capability, packing(problem)));
  }

  private static BlockMask blockMask(AttentionProblem problem, AttentionTiling tiling) {
    return new BlockMask(problem, tiling.tileM(), tiling.tileN());
  }

  static BlockMask blockMask(AttentionProblem problem, Sm80AttentionConfig.Shape shape) {
    return new BlockMask(problem, shape.tileM(), shape.tileN());
  }
}
