package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.kernels.GemmProblem;
import tilewright.sm90.HopperGemm;

/** Finds the fastest tile of the Hopper GEMM for problems, by measuring on this machine's first GPU. */
public final class GemmTuning implements AutoCloseable {
  private static final int CAPABILITY = 90;
  private static final int ROUNDS = 7;

  private final Gpu gpu;
  private final Stream stream;
  private final DeviceInputs inputs;

  private GemmTuning(Gpu gpu) {
    this.gpu = gpu;
    stream = gpu.stream();
    inputs = new DeviceInputs(gpu, stream);
  }

  /** What a tile took, in milliseconds. */
  public record Timed(String tile, double ms) {}

  /** @throws BenchmarkException when there is no GPU of the Hopper architecture */
  public static GemmTuning open() {
    Benchmark.requireGpu();
    var gpu = Gpu.open(0);
    int capability = gpu.properties().capability();
    if (capability == CAPABILITY) return new GemmTuning(gpu);
    var name = gpu.properties().name();
    gpu.close();
    throw new BenchmarkException("nothing to tune on an " + name + ": the Hopper GEMM runs on compute capability 9.0");
  }

  /** The GPU's name. */
  public String gpu() {
    return gpu.properties().name();
  }

  /**
   * Times tiles in turns, so that what the GPU's clock does meets all of them.
   *
   * @param most tiles to try, those first that should be fastest
   * @return the fastest first
   */
  public List<Timed> measure(GemmProblem problem, int most) {
    var tiles = HopperGemm.tiles(problem).stream().limit(most).toList();
    var launches = tiles.stream().map(tile -> HopperGemm.prepare(problem, HopperGemm.configure(problem, tile)))
        .toList();
    var times = tiles.stream().map(_ -> new ArrayList<Double>()).toList();
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < tiles.size(); i++) {
        var measured = Suite.gemm(problem, tiles.get(i), launches.get(i));
        try (var timer = new KernelTimer(gpu, stream, measured, inputs)) {
          times.get(i).addAll(timer.round());
        }
      }
    }
    var timed = new ArrayList<Timed>();
    for (int i = 0; i < tiles.size(); i++) timed.add(new Timed(tiles.get(i), new Sample(times.get(i)).median()));
    timed.sort(Comparator.comparingDouble(Timed::ms));
    return timed;
  }

  @Override
  public void close() {
    gpu.close();
  }
}
