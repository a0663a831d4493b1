package tilewright.sm90;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Mbarrier;
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

/** Z = X + Y over N FP32 numbers, N a multiple of 4: one thread moves tiles by bulk copies, all threads add. */
public record BulkVectorAdd() implements Kernel {
  private static final List<Integer> TILE = List.of(1024);
  private static final int VECTOR = 4;
  private static final Partition THREADS = Partition.exact(Layout.parse("(256,4):(4,1)"), 1024);

  /** Prepares the addition of {@code n} FP32 numbers in buffers "X" and "Y" into "Z". */
  public static PreparedLaunch prepare(long n) {
    return VectorAdd.prepare(new BulkVectorAdd(), Target.SM90A, TILE.getFirst(), n);
  }

  @Override
  public String name() {
    return "bulk_vector_add";
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS.threads());
    var x = tensor(k, "X");
    var y = tensor(k, "Y");
    var z = tensor(k, "Z");
    var tile = Layout.of(TILE.getFirst(), 1);
    var sharedX = k.shared(ElementType.F32, tile);
    var sharedY = k.shared(ElementType.F32, tile);
    var zero = k.constant(0);
    var leader = thread.equalTo(0);
    var bytes = z.availableBytes(TILE.getFirst(), zero);
    k.leave(bytes.lessThan(1));
    var landed = Mbarrier.of(k, leader, 1);

    k.when(leader, () -> {
      landed.arriveExpecting(bytes.times(2));
      BulkCopy.load(k, sharedX.at(zero), x.at(zero), bytes, landed);
      BulkCopy.load(k, sharedY.at(zero), y.at(zero), bytes, landed);
    });
    landed.await(zero);

    var mine = THREADS.coordinate(thread, 0);
    k.when(z.contains(mine), () -> {
      var a = sharedX.at(mine).load(VECTOR);
      var b = sharedY.at(mine).load(VECTOR);
      sharedX.at(mine).store(IntStream.range(0, VECTOR).mapToObj(i -> a.get(i).plus(b.get(i))).toList());
    });
    BulkCopy.publish(k);
    k.barrier();
    k.when(leader, () -> BulkCopy.store(k, z.at(zero), sharedX.at(zero), bytes));
  }

  private static GlobalTensor tensor(Scope k, String name) {
    return k.global(TensorSpec.of(name, ElementType.F32, "N").contiguous("N").aligned(VECTOR).multipleOf("N", VECTOR))
        .tile(TILE, k.blockX());
  }
}
