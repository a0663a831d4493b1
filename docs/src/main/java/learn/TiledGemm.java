package learn;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** C = A·Bᵀ in FP32. A (M,K), B (N,K), C (M,N). 256 threads compute 64×64 elements of C, 16 each. */
public record TiledGemm() implements Kernel {
  private static final int TILE = 64;
  private static final int DEPTH = 16;
  private static final List<Integer> STEP = List.of(TILE, DEPTH);

  /** The copying threads: 16 threads side by side along k, 16 rows, four times. */
  private static final Partition COPY = Partition.exact(Layout.parse("((16,16),4):((64,1),16)"), TILE, DEPTH);
  /** The computing threads: 16×16 threads, each with 4×4 elements that lie 16 apart. */
  private static final Partition COMPUTE =
      Partition.exact(Layout.parse("((16,16),(4,4)):((64,1),(16,1024))"), TILE, TILE);
  /** Columns of a tile in shared memory, two elements apart from each other: no bank conflicts. */
  private static final Layout SHARED = Layout.parse("(64,16):(1,66)");

  @Override
  public String name() {
    return "learn_tiled_gemm";
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(COMPUTE.threads());
    var a = k.global(TensorSpec.of("A", ElementType.F32, "M", "K").contiguous("K"));
    var b = k.global(TensorSpec.of("B", ElementType.F32, "N", "K").contiguous("K"));
    var c = k.global(TensorSpec.of("C", ElementType.F32, "M", "N").contiguous("N"))
        .tile(List.of(TILE, TILE), k.blockX(), k.blockY());
    var tileA = k.shared("tileA", ElementType.F32, SHARED);
    var tileB = k.shared("tileB", ElementType.F32, SHARED);
    var sums = IntStream.range(0, COMPUTE.values()).mapToObj(_ -> k.accumulator()).toList();

    k.loop(a.extent(1).ceilDiv(DEPTH), step -> {
      copy(thread, a.tile(STEP, k.blockX(), step), tileA);
      copy(thread, b.tile(STEP, k.blockY(), step), tileB);
      k.barrier();
      for (int depth = 0; depth < DEPTH; depth++) {
        var at = k.constant(depth);
        var rows = IntStream.range(0, 4).mapToObj(i -> tileA.at(COMPUTE.coordinate(thread, i)[0], at).load()).toList();
        var columns =
            IntStream.range(0, 4).mapToObj(j -> tileB.at(COMPUTE.coordinate(thread, 4 * j)[1], at).load()).toList();
        for (int value = 0; value < sums.size(); value++) {
          sums.get(value).fma(rows.get(value % 4), columns.get(value / 4));
        }
      }
      k.barrier();
    });

    for (int value = 0; value < sums.size(); value++) {
      var sum = sums.get(value);
      var element = c.at(COMPUTE.coordinate(thread, value));
      k.when(element.inside(), () -> element.store(sum.value()));
    }
  }

  /** Copies a tile; what lies beyond the matrix becomes zero. */
  private static void copy(I32 thread, GlobalTensor from, SharedTensor to) {
    for (int value = 0; value < COPY.values(); value++) {
      var place = COPY.coordinate(thread, value);
      var element = from.at(place);
      element.copyOrZero(to.at(place), element.inside());
    }
  }
}
