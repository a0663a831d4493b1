package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
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
  private final Optional<Peers> peers;

  private GemmTuning(TiledGemmKernel kernel, Gpu gpu, Optional<Peers> peers) {
    this.kernel = kernel;
    this.gpu = gpu;
    this.peers = peers;
    stream = gpu.stream();
    inputs = new DeviceInputs(gpu, stream);
  }

  /** A tile and its time. */
  public record Timed(String tile, double ms) {}

  /**
   * What was measured of a problem.
   *
   * @param tiles the fastest first
   * @param peers milliseconds of others' kernels, by name
   */
  public record Measured(List<Timed> tiles, Map<String, Double> peers) {}

  /**
   * Opens the GPU.
   *
   * @param python of the peers that run in turns with the tiles, if any are to
   * @param notes told what peers could not do
   * @throws BenchmarkException when there is no GPU of the kernel's architecture, or no such Python
   */
  public static GemmTuning open(TiledGemmKernel kernel, Optional<String> python, Consumer<String> notes) {
    Benchmark.requireGpu();
    var gpu = Gpu.open(0);
    int needed = kernel.target().capability();
    if (gpu.properties().capability() == needed) {
      return new GemmTuning(kernel, gpu, python.map(interpreter -> Peers.start(interpreter, notes)));
    }
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
   * Times tiles and peers in turns, so that what the GPU's clock does meets all of them.
   *
   * @param order of the operands, such as TN
   * @param most tiles to try, those first that should be fastest
   */
  public Measured measure(GemmProblem problem, String order, int most) {
    var tiles = kernel.tiles(problem).stream().limit(most).toList();
    var launches = tiles.stream().map(tile -> kernel.prepare(problem, tile)).toList();
    var times = tiles.stream().map(_ -> new ArrayList<Double>()).toList();
    var others = new TreeMap<String, List<Double>>();
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < tiles.size(); i++) {
        var measured = problem(problem, order, tiles.get(i), launches.get(i));
        try (var timer = new KernelTimer(gpu, stream, measured, inputs)) {
          times.get(i).addAll(timer.round());
        }
      }
      var request = new HashMap<>(problem(problem, order, tiles.getFirst(), launches.getFirst()).peer());
      request.putAll(Map.of("warmMs", 0, "iterations", KernelTimer.RUNS));
      peers.ifPresent(all -> all.times(request)
          .forEach((name, ms) -> others.computeIfAbsent(name, _ -> new ArrayList<>()).add(ms)));
    }
    var timed = new ArrayList<Timed>();
    for (int i = 0; i < tiles.size(); i++) timed.add(new Timed(tiles.get(i), new Sample(times.get(i)).median()));
    timed.sort(Comparator.comparingDouble(Timed::ms));
    var medians = new TreeMap<String, Double>();
    others.forEach((name, all) -> medians.put(name, new Sample(all).median()));
    return new Measured(timed, medians);
  }

  private TimedProblem problem(GemmProblem problem, String order, String tile, PreparedLaunch launch) {
    return GemmTimings.problem(kernel.name(), "sm" + kernel.target().capability(), problem, order,
        new GemmTimings.Configured(tile, () -> launch), List.of());
  }

  @Override
  public void close() {
    peers.ifPresent(Peers::close);
    gpu.close();
  }
}
