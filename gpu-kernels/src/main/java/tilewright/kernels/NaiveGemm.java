package tilewright.kernels;

import java.util.List;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** C = A·Bᵀ, one output element a thread. A (M,K), B (N,K), C (M,N) of singles: any extents, any strides. */
public record NaiveGemm(ElementType operand) implements Kernel {
  public static final List<Integer> TILE = List.of(16, 16);
  private static final Partition THREADS = Partition.exact(Layout.parse("((16,16),1):((16,1),0)"), 16, 16);

  @Override
  public String name() {
    return "naive_gemm_" + operand.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS.threads());
    var a = k.global(TensorSpec.of("A", operand, "M", "K"));
    var b = k.global(TensorSpec.of("B", operand, "N", "K"));
    var c = k.global(TensorSpec.of("C", ElementType.F32, "M", "N"));
    var zero = k.constant(0);

    var place = THREADS.coordinate(thread, 0);
    var row = a.tile(TILE, k.blockX(), zero).from(place[0], zero);
    var column = b.tile(TILE, k.blockY(), zero).from(place[1], zero);
    var out = c.tile(TILE, k.blockX(), k.blockY()).at(place);

    k.when(out.inside(), () -> {
      var sum = k.accumulator();
      k.loop(a.extent(1), i -> sum.fma(row.at(zero, i).load(), column.at(zero, i).load()));
      out.store(sum.value());
    });
  }
}
