package own;

import java.util.List;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** Y (M,N) = max(X + B, 0), with B (N) added to each row: a bias and ReLU in one pass over memory, in bf16. */
public record BiasRelu() implements Kernel {
  /** A CTA takes 4 rows of 64 columns; neighbouring threads take neighbouring columns. */
  private static final List<Integer> TILE = List.of(4, 64);
  private static final Partition THREADS = Partition.exact(Layout.parse("((64,2),2):((4,1),2)"), 4, 64);

  @Override
  public String name() {
    return "bias_relu";
  }

  /** Runs once, in Java; what it describes runs on the GPU. */
  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS.threads());
    var x = k.global(TensorSpec.of("X", ElementType.BF16, "M", "N")).tile(TILE, k.blockY(), k.blockX());
    var y = k.global(TensorSpec.of("Y", ElementType.BF16, "M", "N")).tile(TILE, k.blockY(), k.blockX());
    var bias = k.global(TensorSpec.of("B", ElementType.BF16, "N")).tile(TILE.subList(1, 2), k.blockX());

    for (int value = 0; value < THREADS.values(); value++) {
      var place = THREADS.coordinate(thread, value);
      k.when(y.contains(place), () -> {
        var sum = x.at(place).load().plus(bias.at(place[1]).load());
        y.at(place).store(sum.max(k.constant(0f)));
      });
    }
  }
}
