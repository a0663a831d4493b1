package tilewright.verification.budget;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.Sm100Gemms;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;

/** Small launches of the Hopper and the Blackwell GEMM, one cluster each, and how much a problem is of these. */
final class GemmTrace {
  private static final int DEPTH_BYTES = 128;
  private static final int STEPS = 6;
  private static final int SIXTEEN = 16;

  private GemmTrace() {}

  static Marginal hopper(GemmProblem problem, Sm90GemmConfig config) {
    var cluster = config.cluster();
    var loaded = new KernelCounts.Loaded();
    return Marginal.of((tiles, steps) -> {
      var small = small(problem, config.tileM() * cluster.m(), config.tileN() * cluster.n() * tiles,
          steps * config.tileK() * cluster.splits(), config.transposed());
      var launch = Sm90Gemms.prepare(small, config);
      var one = new PreparedLaunch(launch.kernel(), Dim3.of(cluster.blocks()), launch.arguments(), launch.scratch());
      return loaded.of(on(small, one)).times(1.0 / cluster.blocks());
    }, STEPS);
  }

  /** The fastest first; those before warps have roles are other kernels. */
  static Stream<Sm100GemmConfig> blackwellConfigurations(GemmProblem problem) {
    var rungs = Sm100Gemms.rungs();
    var others = rungs.subList(2, rungs.size()).reversed().stream().map(r -> Sm100Gemms.configure(problem, r));
    return Stream.concat(Stream.of(Sm100Gemms.configure(problem)), others).distinct();
  }

  /** A grid of one cluster a tile is executed cluster by cluster; the first takes the tiles of the others. */
  static Marginal blackwell(GemmProblem problem, Sm100GemmConfig config) {
    boolean stays = config.accumulators() > 1 && !config.dynamic();
    var loaded = new KernelCounts.Loaded();
    return Marginal.of((tiles, steps) -> {
      var small = small(problem, Sm100GemmConfig.TILE_M * config.cluster(), config.tileN() * tiles,
          steps * DEPTH_BYTES / problem.operand().bytes(), false);
      var launch = Sm100Gemms.prepare(small, config);
      var one = stays ? new PreparedLaunch(launch.kernel(), Dim3.of(config.cluster()), launch.arguments()) : launch;
      return loaded.of(on(small, one)).times(1.0 / config.cluster());
    }, STEPS);
  }

  static Budget.Work work(GemmProblem problem, Sm90GemmConfig config) {
    var cluster = config.cluster();
    return work(problem, config.transposed() ? problem.transposed() : problem, config.tileM() * cluster.m(),
        config.tileN() * cluster.n(), config.tileK() * cluster.splits(), cluster.blocks(),
        config.pingPong() || config.resident() > 1);
  }

  static Budget.Work work(GemmProblem problem, Sm100GemmConfig config) {
    return work(problem, problem, Sm100GemmConfig.TILE_M * config.cluster(), config.tileN(),
        DEPTH_BYTES / problem.operand().bytes(), config.cluster(), config.accumulators() > 1);
  }

  /** The work of a GEMM in tiles of m×n, computed by {@code ctas} CTAs together in steps of k. */
  private static Budget.Work work(GemmProblem problem, GemmProblem seen, int m, int n, int k, int ctas,
      boolean overlapped) {
    double tiles = (double) Math.ceilDiv(seen.m(), m) * Math.ceilDiv(seen.n(), n) * seen.batch() * ctas;
    double steps = Math.ceilDiv(seen.k(), k);
    double bytes = ((double) problem.m() + problem.n()) * problem.k() * problem.operand().bytes()
        + (double) problem.m() * problem.n() * problem.output().bytes();
    double operations = 2.0 * problem.m() * problem.n() * problem.k() * problem.batch();
    return new Budget.Work(tiles, tiles * steps, steps, operations * problem.operand().bits() / SIXTEEN,
        bytes * problem.batch(), overlapped);
  }

  private static GemmProblem small(GemmProblem like, int m, int n, int k, boolean transposed) {
    var order = (like.a().columnStride() == 1 ? "T" : "N") + (like.b().columnStride() == 1 ? "N" : "T");
    return GemmProblem.packed(like.types(), transposed ? n : m, transposed ? m : n, k, 1, order);
  }

  private static Launch on(GemmProblem p, PreparedLaunch launch) {
    return launch.on(Map.of("A", zeros((long) p.m() * p.k() * p.operand().bytes()),
        "B", zeros((long) p.n() * p.k() * p.operand().bytes()),
        "C", zeros((long) p.m() * p.n() * p.output().bytes())));
  }

  static MemorySegment zeros(long bytes) {
    return MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
  }

  static String text(GemmProblem p) {
    return p.m() + "x" + p.n() + "x" + p.k() + (p.batch() > 1 ? "x" + p.batch() : "");
  }
}
