package tilewright.kernels.catalogue;

import java.util.Arrays;
import java.util.List;
import tilewright.kernel.Chip;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.Expected;

/**
 * Y = Y + Σ X(i) over N signed bytes in 32-bit integers, exactly while that fits: four bytes an instruction, then the
 * threads of a warp, whose first adds to Y atomically. Integers add up to the same in any order.
 */
record ByteSum(int vector, int blocks) implements Kernel {
  private static final int THREADS = 256;
  private static final int BYTES = 64;

  static final List<Family> FAMILIES = List.of(new ByteSumFamily(Chip.A100));

  private record ByteSumFamily(Chip chip) implements Family {
    @Override
    public String name() {
      return "byte_sum";
    }

    @Override
    public String formula() {
      return "Y = Y + Σ X over (N) of i8, Y of i32";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("n", 1 << 20), Setting.option("vec", "16", "1"));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0), List.of(1), List.of(16383), List.of(70001));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(1 << 30));
    }

    @Override
    public Family on(int capability) {
      return new ByteSumFamily(Chip.largest(capability));
    }

    @Override
    public Workload workload(Choice choice) {
      int vector = choice.number("vec");
      int most = chip.grid(chip.multiprocessor().ctasOf(THREADS));
      int blocks = Math.clamp(Math.ceilDiv(choice.number("n"), partition(vector).size()), 1, most);
      return Workload.of(new ByteSum(vector, blocks), Target.SM80, blocks,
          tensors -> List.of(Expected.bits("Y", new double[] {Arrays.stream(tensors.get("X")).sum()})),
          Operand.input("X", ElementType.I8, choice, "n").filled(new Operand.Fill.Normal(50)),
          Operand.output("Y", ElementType.I32, choice, "1").filled(new Operand.Fill.Zeros()));
    }
  }

  private static Partition partition(int vector) {
    return Partition.runs(THREADS, vector, BYTES / vector);
  }

  @Override
  public String name() {
    return "byte_sum_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var mine = partition(vector);
    var x = k.global(TensorSpec.of("X", ElementType.I8, "N").contiguous("N").aligned(vector));
    var y = k.global(TensorSpec.of("Y", ElementType.I32, "one"));
    var sum = k.variable(k.constant(0), Integer.MAX_VALUE);

    k.loop(k.blockX(), x.extent(0).ceilDiv(mine.size()), blocks, index -> {
      var tile = x.tile(List.of(mine.size()), index);
      k.when(tile.contains(k.constant(mine.size() - 1)), () -> {
        for (int v = 0; v < mine.values(); v += vector) {
          tile.at(mine.coordinate(thread, v)).vector(vector).addBytesTo(sum);
        }
      }, () -> k.loop(thread, tile.remaining(0, mine.size()), THREADS, i -> tile.at(i).vector(1).addBytesTo(sum)));
    });
    var total = Shuffle.sum(k, sum.value());
    k.when(thread.modulo(Warp.SIZE).equalTo(0), () -> y.at(k.constant(0)).atomicAdd(total));
  }
}
