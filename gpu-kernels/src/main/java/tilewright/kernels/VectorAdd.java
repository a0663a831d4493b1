package tilewright.kernels;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Partition;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/** Z = X + Y over N FP32 numbers: four neighbours per thread in one access, the tail one by one. */
public record VectorAdd() implements Kernel {
  static final List<Integer> TILE = List.of(1024);
  private static final int VECTOR = 4;
  private static final Partition THREADS = Partition.exact(Layout.parse("(256,4):(4,1)"), 1024);

  /** Prepares the addition of {@code n} FP32 numbers in buffers "X" and "Y" into "Z". */
  public static PreparedLaunch prepare(long n) {
    return prepare(new VectorAdd(), Target.SM80, TILE.getFirst(), n);
  }

  /** Prepares any kernel with these tensors, whose CTAs add {@code tile} FP32 numbers each. */
  public static PreparedLaunch prepare(Kernel kernel, Target target, int tile, long n) {
    var compiled = CompiledKernel.compile(kernel, target);
    var arguments = LaunchArguments.of(compiled);
    for (var name : List.of("X", "Y", "Z")) {
      arguments.tensor(name, new LaunchArguments.Tensor(name, 0, List.of(n), List.of(1L)));
    }
    return new PreparedLaunch(compiled, Dim3.of(Math.toIntExact(Math.ceilDiv(n, tile))), arguments.build());
  }

  @Override
  public String name() {
    return "vector_add";
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS.threads());
    var tensors = List.of("X", "Y", "Z").stream()
        .map(name -> k.global(TensorSpec.of(name, ElementType.F32, "N").contiguous("N").aligned(VECTOR)
            .lastingReads()).tile(TILE, k.blockX()))
        .toList();
    var x = tensors.get(0);
    var y = tensors.get(1);
    var z = tensors.get(2);
    var first = THREADS.coordinate(thread, 0);

    k.when(z.contains(THREADS.coordinate(thread, VECTOR - 1)),
        () -> {
          var a = x.at(first).load(VECTOR);
          var b = y.at(first).load(VECTOR);
          z.at(first).store(IntStream.range(0, VECTOR).mapToObj(i -> a.get(i).plus(b.get(i))).toList());
        },
        () -> {
          for (int value = 0; value < VECTOR; value++) {
            var i = THREADS.coordinate(thread, value);
            k.when(z.contains(i), () -> z.at(i).store(x.at(i).load().plus(y.at(i).load())));
          }
        });
  }
}
