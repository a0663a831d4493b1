package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.library.TiledGemmKernel;
import tilewright.kernels.registry.TimedProblem;

/** Finds the fastest tile of a GEMM kernel for problems, by measuring on this machine's first GPU. */
public final class GemmTuning implements AutoCloseable {
  private static final int ROUNDS = 7;

  private final TiledGemmKernel kernel;
  private final Gpu gpu;
  private final Stream stream;
  private final DeviceInputs inputs;

  private GemmTuning(TiledGemmKernel kernel, Gpu gpu) {
    this.kernel = kernel;
    this.gpu = gpu;
    stream = gpu.stream();
    inputs = new DeviceInputs(gpu, stream);
  }

  /** A tile and its time. */
  public record Timed(String tile, double ms) {}

  /** @throws BenchmarkException when there is no GPU of the kernel's architecture */
  public static GemmTuning open(TiledGemmKernel kernel) {
    Benchmark.requireGpu();
    var gpu = Gpu.open(0);
    int needed = kernel.target().capability();
    if (gpu.properties().capability() == needed) return new GemmTuning(kernel, gpu);
    var name = gpu.properties().name();
    gpu.close();
    throw new BenchmarkException("nothing to tune on an " + name + ": " + kernel.name()
        + " runs on compute capability " + needed / 10 + "." + needed % 10);
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
    var tiles = kernel.tiles(problem).stream().limit(most).toList();
    var launches = tiles.stream().map(tile -> kernel.prepare(problem, tile)).toList();
    var times = tiles.stream().map(_ -> new ArrayList<Double>()).toList();
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < tiles.size(); i++) {
        var measured = problem(problem, tiles.get(i), launches.get(i));
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

  private TimedProblem problem(GemmProblem problem, String tile, PreparedLaunch launch) {
    return GemmTimings.problem(kernel.name(), "sm" + kernel.target().capability(), problem, "TN",
        new GemmTimings.Configured(tile, () -> launch), List.of());
  }

  @Override
  public void close() {
    gpu.close();
  }
}
