package tilewright.sm100;

import java.util.List;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.VectorAdd;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Z = X + Y over N FP32 numbers: eight neighbours per thread in 256-bit accesses, added two at a time; the tail one by
 * one.
 */
public record PackedVectorAdd() implements Kernel {
  private static final List<Integer> TILE = List.of(2048);
  private static final Partition THREADS = Partition.exact(Layout.parse("(256,8):(8,1)"), 2048);

  /** Prepares the addition of {@code n} FP32 numbers in buffers "X" and "Y" into "Z". */
  public static PreparedLaunch prepare(long n) {
    return VectorAdd.prepare(new PackedVectorAdd(), Target.SM100A, TILE.getFirst(), n);
  }

  @Override
  public String name() {
    return "packed_vector_add";
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS.threads());
    var x = tensor(k, "X");
    var y = tensor(k, "Y");
    var z = tensor(k, "Z");
    var first = THREADS.coordinate(thread, 0);

    k.when(z.contains(THREADS.coordinate(thread, Packed.SINGLES - 1)),
        () -> Packed.load(k, x.at(first)).plus(Packed.load(k, y.at(first))).store(z.at(first)),
        () -> {
          for (int value = 0; value < THREADS.values(); value++) {
            var i = THREADS.coordinate(thread, value);
            k.when(z.contains(i), () -> z.at(i).store(x.at(i).load().plus(y.at(i).load())));
          }
        });
  }

  private static GlobalTensor tensor(Scope k, String name) {
    return k.global(TensorSpec.of(name, ElementType.F32, "N").contiguous("N").aligned(Packed.SINGLES))
        .tile(TILE, k.blockX());
  }
}
