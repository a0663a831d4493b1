package tilewright.kernels.attention;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/** The SM80 kernel: from a problem to a configuration to a launch. */
public final class Sm80AttentionKernel implements AttentionKernel {
  private static final int WIDEST_ACCESS_BYTES = 16;

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
    int most = Sm80AttentionShapes.MOST_DIM;
    return problem.largestDim() <= most ? Optional.empty()
        : Optional.of("head dimension " + problem.largestDim() + " is more than " + most);
  }

  @Override
  public PreparedLaunch prepare(AttentionProblem problem) {
    return prepare(problem, Sm80AttentionShapes.of(problem));
  }

  /** Prepares the kernel in given tiles. */
  public static PreparedLaunch prepare(AttentionProblem p, Sm80AttentionConfig.Shape shape) {
    var s = p.sizes();
    boolean exact = s.headDim() == shape.tileD() && s.valueDim() == shape.tileDv();
    var config = new Sm80AttentionConfig(p.type(), shape, vector(p), exact, p.band(), p.modification(),
        p.packed().isPresent(), p.blockMask(), p.lse().isPresent());
    var kernel = CompiledKernel.compile(new Sm80Attention(config), Target.SM80);
    var arguments = AttentionArguments.of(kernel, p);
    if (p.blockMask()) blockLists(p, shape).forEach(arguments::tensor);
    int queries = p.packed().map(AttentionProblem.Packed::longest).orElse(s.queries());
    int entries = p.packed().map(AttentionProblem.Packed::sequences).orElse(s.batch());
    long tiles = (long) Math.max(1, Math.ceilDiv(queries, shape.tileM())) * s.heads() * entries;
    return new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(tiles)), arguments.build());
  }

  /**
   * Prepares the launch that makes the lists of blocks for {@link AttentionProblem#skipping}: buffers blockCounts,
   * partialBlocks and fullBlocks of {@link #blockMaskElements} 32-bit integers each.
   */
  public PreparedLaunch prepareBlockMask(AttentionProblem p) {
    var shape = Sm80AttentionShapes.of(p);
    var s = p.sizes();
    var mask = p.modification().mask().orElseThrow(() -> new IllegalArgumentException("a block mask needs a mask"));
    var lengths = TensorSpec.of("lengths", ElementType.I32, "Sq", "Sk");
    var kernel = CompiledKernel.compile(new BlockMaskKernel(mask, lengths, shape.tileM(), shape.tileN()), Target.SM80);
    var arguments = LaunchArguments.of(kernel).tensor("lengths", new LaunchArguments.Tensor("blockCounts", 0,
        List.of((long) s.queries(), (long) s.keys()), List.of(0L, 0L)));
    blockLists(p, shape).forEach(arguments::tensor);
    return new PreparedLaunch(kernel, new Dim3(tiles(p, shape), s.heads(), s.batch()), arguments.build());
  }

  /** Elements of each of the three buffers of a block mask. */
  public long blockMaskElements(AttentionProblem p) {
    var shape = Sm80AttentionShapes.of(p);
    return Math.max(2L, blocks(p, shape)) * tiles(p, shape) * p.sizes().heads() * p.sizes().batch();
  }

  private static int tiles(AttentionProblem p, Sm80AttentionConfig.Shape shape) {
    return Math.max(1, Math.ceilDiv(p.sizes().queries(), shape.tileM()));
  }

  private static long blocks(AttentionProblem p, Sm80AttentionConfig.Shape shape) {
    return Math.max(1, Math.ceilDiv(p.sizes().keys(), shape.tileN()));
  }

  private static Map<String, LaunchArguments.Tensor> blockLists(AttentionProblem p,
      Sm80AttentionConfig.Shape shape) {
    var lists = new HashMap<String, LaunchArguments.Tensor>();
    for (var name : List.of("blockCounts", "partialBlocks", "fullBlocks")) {
      long entries = name.equals("blockCounts") ? 2 : blocks(p, shape);
      long tiles = tiles(p, shape);
      long heads = p.sizes().heads();
      lists.put(name, new LaunchArguments.Tensor(name, 0, List.of(entries, tiles, heads, (long) p.sizes().batch()),
          List.of(1L, entries, entries * tiles, entries * tiles * heads)));
    }
    return lists;
  }

  /** Neighbours along the head dimensions that an access may move in every tensor. */
  static int vector(AttentionProblem p) {
    int vector = WIDEST_ACCESS_BYTES / p.type().bytes();
    while (vector > 1 && !aligned(p, vector)) vector /= 2;
    return vector;
  }

  private static boolean aligned(AttentionProblem p, int vector) {
    return p.sizes().headDim() % vector == 0 && p.sizes().valueDim() % vector == 0
        && Stream.of(p.q(), p.k(), p.v(), p.o()).allMatch(view -> view.isAligned(vector, p.type().bytes()));
  }
}
