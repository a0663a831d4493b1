package tilewright.docs.blackwell;

import java.util.Map;
import java.util.stream.Collectors;
import tilewright.kernels.GemmProblem;
import tilewright.simulator.Profile;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.Sm100Gemms;

/** How much each rung of the Blackwell GEMM does for one problem: instructions, bytes by place, barriers. */
final class RungCounts {
  private static final int DEPTH_BYTES = 128;
  private static final int KIB = 1024;

  private RungCounts() {}

  /** The counts of one rung. */
  private record Counts(String rung, int ctas, long instructions, long waits, long barriers, long fromL2, long toShared,
      long accumulators) {
    static Counts of(GemmProblem problem, String rung) {
      var launch = Sm100Gemms.prepare(problem, rung);
      var config = Sm100Gemms.configure(problem, rung);
      var profile = BlackwellTrace.gemm(problem, launch);
      return new Counts(rung, launch.grid().x(),
          profile.classes().stream().mapToLong(Profile.ClassCount::warps).sum(),
          profile.classes().stream().filter(c -> c.name().equals("synchronise")).mapToLong(Profile.ClassCount::warps)
              .sum(),
          launch.kernel().ptx().lines().filter(line -> line.contains("mbarrier.init")).count(),
          copied(problem, config, 1) / KIB, copied(problem, config, config.cluster() / config.ctas()) / KIB,
          RungCounts.accumulators(problem, config) / KIB);
    }
  }

  /** All rungs side by side. */
  static String table(GemmProblem problem) {
    var table = new StringBuilder("""
        [cols="2,>1,>1,>1,>1,>1,>1,>1"]
        |===
        |Rung |CTAs |Warp instructions |of these waits and signals |mbarriers per CTA |KiB read from L2
        |KiB into shared memory |KiB of accumulators read

        """);
    for (var rung : Sm100Gemms.rungs()) {
      var c = Counts.of(problem, rung);
      table.append("|%s |%d |%d |%d |%d |%d |%d |%d%n".formatted(rung, c.ctas, c.instructions, c.waits, c.barriers,
          c.fromL2, c.toShared, c.accumulators));
    }
    return table.append("|===\n").toString();
  }

  /** One sentence with the counts of a rung, by the rung's name. */
  static Map<String, String> sentences(GemmProblem problem) {
    return Sm100Gemms.rungs().stream().map(rung -> Counts.of(problem, rung)).collect(Collectors.toMap(Counts::rung,
        c -> "The simulator counts %,d warp instructions, %,d of them waits and signals on %d mbarriers per CTA; "
            .formatted(c.instructions, c.waits, c.barriers)
            + "%,d KiB are read from L2 and %,d KiB arrive in shared memory.%n".formatted(c.fromL2, c.toShared)));
  }

  /** Bytes that tiles of A and B have, those of B counted so often as groups of a cluster receive them. */
  private static long copied(GemmProblem problem, Sm100GemmConfig config, int receivers) {
    long groups = (long) Math.ceilDiv(problem.m(), config.cluster() * Sm100GemmConfig.TILE_M)
        * Math.ceilDiv(problem.n(), config.tileN());
    long rows = (long) config.cluster() * Sm100GemmConfig.TILE_M + (long) config.tileN() * receivers;
    long steps = Math.ceilDiv(problem.k() * problem.operand().bytes(), DEPTH_BYTES);
    return groups * steps * rows * DEPTH_BYTES;
  }

  private static long accumulators(GemmProblem problem, Sm100GemmConfig config) {
    long rows = Math.ceilDiv(problem.m(), config.cluster() * Sm100GemmConfig.TILE_M) * (long) config.cluster()
        * Sm100GemmConfig.TILE_M;
    return rows * Math.ceilDiv(problem.n(), config.tileN()) * config.tileN() * Float.BYTES;
  }
}
