package tilewright.kernels;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Partition;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * Y(m,n) = Σ_j P(m,j) · W(I(m,j), n): a weighted sum of rows of a table W (V,N), such as the results of a token's
 * experts. Sums are FP32 and rounded once. An index outside 0…V-1 adds nothing.
 *
 * @param choices rows of a sum
 * @param vector elements of an access; N is a multiple of it
 */
public record WeightedRows(ElementType type, int choices, int vector) implements Kernel {
  private static final int THREADS = 256;
  private static final int WIDEST_BYTES = 16;

  /**
   * Prepares the launch.
   *
   * @param alignment the most elements, a power of two, that rows of W and Y are aligned to
   */
  public static PreparedLaunch prepare(ElementType type, int alignment, LaunchArguments.Tensor table,
      LaunchArguments.Tensor indices, LaunchArguments.Tensor weights, LaunchArguments.Tensor result) {
    int vector = Math.min(alignment, WIDEST_BYTES / type.bytes());
    long columns = result.extents().get(1);
    while (columns % vector != 0) vector /= 2;
    var kernel = new WeightedRows(type, Math.toIntExact(indices.extents().get(1)), vector);
    var compiled = CompiledKernel.compile(kernel, Target.SM80);
    var arguments = LaunchArguments.of(compiled).tensor("W", table).tensor("I", indices).tensor("P", weights)
        .tensor("Y", result);
    var grid = new Dim3(Math.toIntExact(result.extents().getFirst()),
        Math.toIntExact(Math.ceilDiv(columns / vector, THREADS)), 1);
    return new PreparedLaunch(compiled, grid, arguments.build());
  }

  @Override
  public String name() {
    return "weighted_rows_" + type.text() + "_" + choices + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var row = k.blockX();
    var partition = Partition.runs(THREADS, vector, 1);
    var tile = List.of(1, partition.size());
    var place = partition.coordinate(k.block(THREADS), 0)[0];
    var none = k.constant(0);
    var w = k.global(matrix("W", "V").lastingReads());
    var indices = k.global(TensorSpec.of("I", ElementType.I32, "M", "J").fixed("J", choices));
    var weights = k.global(TensorSpec.of("P", ElementType.F32, "M", "J").fixed("J", choices));
    var to = k.global(matrix("Y", "M")).tile(tile, row, k.blockY()).at(none, place);
    k.when(to.inside(), () -> {
      var sums = Stream.generate(() -> k.constant(0f)).limit(vector).toArray(F32[]::new);
      for (int j = 0; j < choices; j++) {
        var index = indices.at(row, k.constant(j)).loadInteger();
        var weight = weights.at(row, k.constant(j)).load();
        var from = w.tile(tile, index, k.blockY()).at(none, place);
        var values = from.vectorOrZeros(vector, from.inside().and(index.atLeast(0))).values();
        for (int i = 0; i < vector; i++) sums[i] = values.get(i).fma(weight, sums[i]);
      }
      to.store(IntStream.range(0, vector).mapToObj(i -> sums[i]).toList());
    });
  }

  private TensorSpec matrix(String name, String rows) {
    var spec = TensorSpec.of(name, type, rows, "N").contiguous("N");
    return vector == 1 ? spec : spec.aligned(vector).multipleOf("N", vector);
  }
}
