package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.Chip;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.Expected;
import tilewright.reference.Reference;

/**
 * Y(b) = Y(b) + the number of i with X(i) = b, for N integers and so many bins; integers that are no bin are not
 * counted. Every block counts in shared memory and adds its counts to Y at the end.
 */
record Histogram(int bins, int vector, int blocks) implements Kernel {
  private static final int THREADS = 256;
  private static final int ACCESSES = 4;

  static final List<Family> FAMILIES = List.of(new HistogramFamily(Chip.A100));

  private record HistogramFamily(Chip chip) implements Family {
    @Override
    public String name() {
      return "histogram";
    }

    @Override
    public String formula() {
      return "Y(b) = Y(b) + how often b is in X (N), of i32";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("n", 1 << 20), Setting.option("bins", "256", "1024", "4096"),
          Setting.option("vec", "4", "1"));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0), List.of(1), List.of(4095), List.of(20001));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(1 << 28));
    }

    @Override
    public Family on(int capability) {
      return new HistogramFamily(Chip.largest(capability));
    }

    @Override
    public Workload workload(Choice choice) {
      int bins = choice.number("bins");
      int vector = choice.number("vec");
      int most = chip.grid(chip.multiprocessor().ctasOf(THREADS));
      int blocks = Math.clamp(Math.ceilDiv(choice.number("n"), partition(vector).size()), 1, most);
      return Workload.of(new Histogram(bins, vector, blocks), Target.SM80, blocks, reference(bins),
          Operand.indices("X", bins + 2L, choice, "n"),
          Operand.output("Y", ElementType.I32, choice, "bins").filled(new Operand.Fill.Zeros()));
    }
  }

  private static Reference reference(int bins) {
    return tensors -> {
      var counts = new double[bins];
      for (double x : tensors.get("X")) {
        if (x >= 0 && x < bins) counts[(int) x]++;
      }
      return List.of(Expected.bits("Y", counts));
    };
  }

  private static Partition partition(int vector) {
    return Partition.runs(THREADS, vector, ACCESSES);
  }

  @Override
  public String name() {
    return "histogram_" + bins + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var mine = partition(vector);
    var x = k.global(TensorSpec.of("X", ElementType.I32, "N").contiguous("N").aligned(vector));
    var y = k.global(TensorSpec.of("Y", ElementType.I32, "bins"));
    var counts = k.shared(ElementType.I32, Layout.of(bins, 1));

    k.loop(thread, k.constant(bins), THREADS, bin -> counts.at(bin).store(k.constant(0)));
    k.barrier();
    k.loop(k.blockX(), x.extent(0).ceilDiv(mine.size()), blocks, index -> {
      var tile = x.tile(List.of(mine.size()), index);
      k.when(tile.contains(k.constant(mine.size() - 1)), () -> {
        for (int v = 0; v < mine.values(); v += vector) {
          tile.at(mine.coordinate(thread, v)).vector(vector).integers().forEach(bin -> count(k, counts, bin));
        }
      }, () -> k.loop(thread, tile.remaining(0, mine.size()), THREADS,
          i -> count(k, counts, tile.at(i).loadInteger())));
    });
    k.barrier();
    k.loop(thread, k.constant(bins), THREADS, bin -> y.at(bin).atomicAdd(counts.at(bin).loadInteger(1 << 30)));
  }

  private void count(Scope k, SharedTensor counts, I32 bin) {
    k.when(bin.lessThan(bins).and(bin.atLeast(0)), () -> counts.at(bin).atomicAdd(k.constant(1)));
  }
}
