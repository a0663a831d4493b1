package tilewright.docs.blackwell;

import tilewright.kernels.GemmProblem;
import tilewright.simulator.Profile;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.Sm100Gemms;

/** How much each rung of the Blackwell GEMM does for one problem: instructions, bytes by place, barriers. */
final class RungCounts {
  private static final int DEPTH_BYTES = 128;
  private static final int KIB = 1024;

  private RungCounts() {}

  static String table(GemmProblem problem) {
    var table = new StringBuilder("""
        [cols="2,>1,>1,>1,>1,>1,>1,>1"]
        |===
        |Rung |CTAs |Warp instructions |of these waits and signals |mbarriers a CTA |KiB read from L2
        |KiB into shared memory |KiB of sums read

        """);
    for (var rung : Sm100Gemms.rungs()) {
      var launch = Sm100Gemms.prepare(problem, rung);
      var config = Sm100Gemms.configure(problem, rung);
      var profile = BlackwellTrace.gemm(problem, launch);
      long all = profile.classes().stream().mapToLong(Profile.ClassCount::warps).sum();
      long waits = profile.classes().stream().filter(c -> c.name().equals("synchronise"))
          .mapToLong(Profile.ClassCount::warps).sum();
      long barriers = launch.kernel().ptx().lines().filter(line -> line.contains("mbarrier.init")).count();
      table.append("|%s |%d |%d |%d |%d |%d |%d |%d%n".formatted(rung, launch.grid().x(), all, waits, barriers,
          copied(problem, config, 1) / KIB, copied(problem, config, config.cluster() / config.ctas()) / KIB,
          sums(problem, config) / KIB));
    }
    return table.append("|===\n").toString();
  }

  /** Bytes that tiles of A and B have, those of B counted so often as groups of a cluster receive them. */
  private static long copied(GemmProblem problem, Sm100GemmConfig config, int receivers) {
    long groups = (long) Math.ceilDiv(problem.m(), config.cluster() * Sm100GemmConfig.TILE_M)
        * Math.ceilDiv(problem.n(), config.tileN());
    long rows = (long) config.cluster() * Sm100GemmConfig.TILE_M + (long) config.tileN() * receivers;
    long steps = Math.ceilDiv(problem.k() * problem.operand().bytes(), DEPTH_BYTES);
    return groups * steps * rows * DEPTH_BYTES;
  }

  private static long sums(GemmProblem problem, Sm100GemmConfig config) {
    long rows = Math.ceilDiv(problem.m(), config.cluster() * Sm100GemmConfig.TILE_M) * (long) config.cluster()
        * Sm100GemmConfig.TILE_M;
    return rows * Math.ceilDiv(problem.n(), config.tileN()) * config.tileN() * Float.BYTES;
  }
}
