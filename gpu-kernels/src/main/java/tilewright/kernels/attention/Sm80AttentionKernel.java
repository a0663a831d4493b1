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
import tilewright.kernels.attention.AttentionProblem.View;
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
    var arguments = LaunchArguments.of(kernel)
        .tensor("Q", tensor(p.q(), s.queries(), s.headDim(), s.heads(), s.batch(), true))
        .tensor("K", tensor(p.k(), s.keys(), s.headDim(), s.keyHeads(), s.batch(), true))
        .tensor("V", tensor(p.v(), s.keys(), s.valueDim(), s.keyHeads(), s.batch(), false))
        .tensor("O", tensor(p.o(), s.queries(), s.valueDim(), s.heads(), s.batch(), true))
        .scalar("scale", p.scale());
    p.lse().ifPresent(lse -> arguments.tensor("LSE", new LaunchArguments.Tensor(lse.buffer(), lse.offset(),
        List.of((long) s.queries(), (long) s.heads(), (long) s.batch()),
        List.of(lse.sequence(), lse.head(), lse.batch()))));
    p.packed().ifPresent(packed -> arguments.tensor("cuQ", lengths(packed.queries(), packed.sequences()))
        .tensor("cuK", lengths(packed.keys(), packed.sequences())));
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

  private static LaunchArguments.Tensor lengths(String buffer, int sequences) {
    return new LaunchArguments.Tensor(buffer, 0, List.of(sequences + 1L), List.of(1L));
  }

  private static LaunchArguments.Tensor tensor(View view, long rows, long dim, long heads, long batch,
      boolean rowsFirst) {
    return new LaunchArguments.Tensor(view.buffer(), view.offset(),
        rowsFirst ? List.of(rows, dim, heads, batch) : List.of(dim, rows, heads, batch),
        rowsFirst ? List.of(view.sequence(), view.dim(), view.head(), view.batch())
            : List.of(view.dim(), view.sequence(), view.head(), view.batch()));
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
