package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionProblem.View;
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
    var config = new Sm80AttentionConfig(p.type(), shape, vector(p), exact, p.band(), p.modification(), p.packed().isPresent(),
        p.lse().isPresent());
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
    int queries = p.packed().map(AttentionProblem.Packed::longest).orElse(s.queries());
    int entries = p.packed().map(AttentionProblem.Packed::sequences).orElse(s.batch());
    long tiles = (long) Math.max(1, Math.ceilDiv(queries, shape.tileM())) * s.heads() * entries;
    return new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(tiles)), arguments.build());
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
