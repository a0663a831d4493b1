package tilewright.kernels;

import java.util.List;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.Partition;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.f2.Swizzle;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * Y (N,M) = X (M,N)ᵀ, both with contiguous rows, through a 32×32 tile of shared memory. The swizzle permutes each row
 * by the row's number, so that a warp reads a column from 32 different banks.
 */
public record Transpose() implements Kernel {
  static final List<Integer> TILE = List.of(32, 32);
  static final ComposedLayout SHARED = new ComposedLayout(new Swizzle(5, 0, 5), 0, Layout.parse("(32,32):(32,1)"));
  /** A warp covers a row; eight warps take every eighth row. */
  private static final Partition THREADS = Partition.exact(Layout.parse("((32,8),4):((32,1),8)"), 32, 32);

  /** Prepares the transposition of the M×N FP32 numbers in buffer "X" into "Y". */
  public static PreparedLaunch prepare(long m, long n) {
    var kernel = CompiledKernel.compile(new Transpose(), Target.SM80);
    var arguments = LaunchArguments.of(kernel)
        .tensor("X", Matrix.rowMajor("X", m, n).argument(m, n))
        .tensor("Y", Matrix.rowMajor("Y", n, m).argument(n, m));
    var grid = Dim3.of(Math.toIntExact(Math.ceilDiv(n, TILE.get(1))), Math.toIntExact(Math.ceilDiv(m, TILE.get(0))));
    return new PreparedLaunch(kernel, grid, arguments.build());
  }

  @Override
  public String name() {
    return "transpose";
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS.threads());
    var x = k.global(TensorSpec.of("X", ElementType.F32, "M", "N").contiguous("N")).tile(TILE, k.blockY(), k.blockX());
    var y = k.global(TensorSpec.of("Y", ElementType.F32, "N", "M").contiguous("M")).tile(TILE, k.blockX(), k.blockY());
    var shared = k.shared(ElementType.F32, SHARED);

    for (int value = 0; value < THREADS.values(); value++) {
      var place = THREADS.coordinate(thread, value);
      var element = x.at(place);
      element.copyOrZero(shared.at(place), element.inside());
    }
    k.barrier();
    for (int value = 0; value < THREADS.values(); value++) {
      var place = THREADS.coordinate(thread, value);
      var element = y.at(place);
      k.when(element.inside(), () -> element.store(shared.at(place[1], place[0]).load()));
    }
  }
}
