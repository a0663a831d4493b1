package tilewright.verification.mutation;

import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;

/** Mutants that are no mistakes, and why not. */
final class HarmlessMutants {
  private static final String TENSOR_FENCE = "tcgen05.fence::before_thread_sync";
  private static final String FENCE = "wgmma.fence.sync.aligned;";
  /** Between braces, behind those of the sums. */
  private static final int REGISTERS_OF_A = 3;

  private HarmlessMutants() {}

  /** The simulator's warps come together behind a branch without {@code bar.warp.sync}. */
  static boolean isConvergence(Mutant mutant) {
    return mutant.change().contains("bar.warp.sync");
  }

  /**
   * A {@code bar.warp.sync} where the warp comes together anyway: behind the wait for its stores to Tensor Memory,
   * which is {@code .sync.aligned}, and in the simulator behind a branch, before the barrier at the end of the CTA, or
   * of the cluster. On an SM only {@code bar.warp.sync} brings them together, as {@code .aligned} barriers need.
   */
  static Predicate<Mutant> whereWarpsAreTogether(PreparedLaunch launch) {
    return at(launch, "bar.warp.sync", (lines, line) -> lines.get(line - 2).startsWith(TENSOR_FENCE)
        || lines.get(line).startsWith("bar.sync") || lines.get(line).startsWith("barrier.cluster.arrive"));
  }

  /** A {@code bar.warp.sync} right behind a branch, where the simulator's warps have come together. */
  static Predicate<Mutant> behindBranches(PreparedLaunch launch) {
    return at(launch, "bar.warp.sync", (lines, line) -> lines.subList(0, line - 1).reversed().stream()
        .filter(before -> !before.startsWith(".loc")).findFirst().orElseThrow().startsWith("@"));
  }

  /**
   * A fence behind the reading of an answer about a cancelled launch. The next answer, by the asynchronous proxy,
   * comes after it was asked for, which is behind a barrier at which all readers have arrived: that orders a read
   * before an asynchronous write, as in every ring of tensor copies. The fence is there because the PTX ISA's own
   * example has it.
   */
  static Predicate<Mutant> ofAnswers(PreparedLaunch launch) {
    return at(launch, "fence.proxy.async",
        (lines, line) -> lines.get(line - 2).contains("clusterlaunchcontrol.query_cancel"));
  }

  /**
   * The first fence of attention behind the loading of scores, where the first block of keys has code of its own: it
   * orders work on O, and the first block's product replaces what O was.
   */
  static Predicate<Mutant> ofTheFirstScores(PreparedLaunch launch) {
    return at(launch, TENSOR_FENCE, (lines, line) -> lines.stream().limit(line - 1)
        .noneMatch(earlier -> earlier.startsWith(TENSOR_FENCE)));
  }

  /**
   * The wait for earlier kernels of threads that access no global memory but to store what they multiplied: at the
   * barriers of its stages a thread arrives that has waited itself. Where there are no stages they need their own.
   */
  static Predicate<Mutant> ofWaitsBehindStages(PreparedLaunch launch) {
    return at(launch, "griddepcontrol.wait", (lines, line) -> lines.stream().skip(line)
        .filter(later -> later.contains("cp.async.bulk.tensor")).findFirst()
        .filter(first -> first.contains(".global.shared::cta")).isPresent());
  }

  /**
   * A fence before a multiplication with registers that were last written before the fence before: that one orders
   * them. Where it is missing ptxas says that it adds one.
   */
  static Predicate<Mutant> ofFencesAgain(PreparedLaunch launch) {
    return at(launch, FENCE, (lines, line) -> {
      int before = lines.subList(0, line - 1).lastIndexOf(FENCE);
      var operands = lines.stream().skip(line).filter(later -> later.startsWith("wgmma.mma_async")).findFirst()
          .orElseThrow().split("[{}]");
      boolean descriptor = operands.length < REGISTERS_OF_A + 1;
      return before >= 0 && !descriptor && Stream.of(operands[REGISTERS_OF_A].split(", ")).noneMatch(register ->
          lines.subList(before, line - 1).stream().anyMatch(between -> between.contains(" " + register + ",")));
    });
  }

  /** Changes of such instructions on lines, counted from 1, that a condition holds for. */
  private static Predicate<Mutant> at(PreparedLaunch launch, String what, BiPredicate<List<String>, Integer> where) {
    var lines = launch.kernel().ptx().lines().map(String::strip).toList();
    return mutant -> mutant.change().contains(what)
        && where.test(lines, Integer.parseInt(mutant.change().replaceAll(".* line (\\d+):.*", "$1")));
  }
}
