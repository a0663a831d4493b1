package tilewright.sm90;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.ptx.Dim3;

/** The host side of the Hopper GEMM: from a problem to a configuration to a launch. */
public final class HopperGemm {
  private static final int MULTIPROCESSORS = 132;

  private static final List<Tile> TILES = List.of(new Tile(128, 256, 64, 2, 4, 2, 8), new Tile(128, 256, 64, 2, 4, 1, 8),
      new Tile(256, 128, 64, 2, 4, 2, 4), new Tile(256, 128, 64, 2, 4, 1, 4), new Tile(128, 128, 64, 2, 6, 2, 8),
      new Tile(128, 128, 64, 2, 6, 1, 8));

  private HopperGemm() {}

  /** Prepares the configuration that fits the problem. */
  public static PreparedLaunch prepare(GemmProblem problem) {
    return prepare(problem, configure(problem));
  }

  /** Prepares a given configuration. */
  public static PreparedLaunch prepare(GemmProblem problem, Sm90GemmConfig config) {
    if (problem.beta() != 0) {
      throw new IllegalArgumentException("beta is " + problem.beta() + ": the Hopper GEMM does not read C, use sm80");
    }
    var kernel = CompiledKernel.compile(new Sm90Gemm(config), Target.SM90A);
    long groups = (long) Math.ceilDiv(problem.m(), config.tileM() * config.cluster())
        * Math.ceilDiv(problem.n(), config.tileN()) * problem.batch();
    var arguments = LaunchArguments.of(kernel)
        .tensor("A", problem.a().argument(problem.m(), problem.k(), problem.batch()))
        .tensor("B", problem.b().argument(problem.n(), problem.k(), problem.batch()))
        .tensor("C", problem.c().argument(problem.m(), problem.n(), problem.batch()))
        .scalar("alpha", problem.alpha());
    return new PreparedLaunch(kernel, Dim3.of((int) Math.min(groups,
        MULTIPROCESSORS / config.cluster()) * config.cluster()), arguments.build());
  }

  /** The configuration for a problem. */
  public static Sm90GemmConfig configure(GemmProblem problem) {
    return configurations(problem).findFirst().orElseThrow();
  }

  /** Every configuration that a problem can be measured in, the best first. */
  public static Stream<Sm90GemmConfig> configurations(GemmProblem problem) {
    return TILES.stream().map(tile -> new Sm90GemmConfig(problem.operand(), problem.output(), alongK(problem.a()),
        alongK(problem.b()), tile.m, tile.n, tile.k, tile.consumers, tile.stages, tile.cluster, tile.band));
  }

  private record Tile(int m, int n, int k, int consumers, int stages, int cluster, int band) {}

  private static boolean alongK(Matrix matrix) {
    return matrix.columnStride() == 1 || matrix.rowStride() != 1;
  }
}
