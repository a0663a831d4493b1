package tilewright.verification;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import tilewright.verification.cases.Case;

/**
 * The result of one kernel on one backend in one configuration.
 *
 * @param arch the target's architecture, such as {@code sm80}
 * @param backend {@code sim}, {@code gpu}, or {@code both} where their results were compared bit by bit
 * @param maxError largest absolute error against the reference in FP64; absent when nothing was compared
 * @param bitExact whether every bit is what the reference predicts in the kernel's own arithmetic, where that is
 *     modelled
 * @param findings what the simulator's sanitizer found, or what the GPU's guard regions did, or which buffers differ
 * @param ms milliseconds: wall time in the simulator, device time on a GPU
 * @param reason why it failed or was skipped; empty when it passed
 */
public record Row(String kernel, String arch, String backend, String config, Status status, OptionalDouble maxError,
    OptionalDouble meanError, Optional<Boolean> bitExact, int findings, double ms, String reason) {

  /** The result of a run. A run that could not be made is skipped, never passed. */
  public enum Status {
    PASS, FAIL, SKIPPED;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Row skipped(Case c, String backend, String reason) {
    return withoutResult(c, backend, Status.SKIPPED, reason);
  }

  static Row failed(Case c, String backend, String reason) {
    return withoutResult(c, backend, Status.FAIL, reason);
  }

  /** Returns this row as the result of the last of a number of seeds. */
  Row ofSeed(long seed, int seeds) {
    var why = status == Status.FAIL ? "seed " + seed + ": " + reason : reason;
    return new Row(kernel, arch, backend, config + (status == Status.SKIPPED ? "" : " seeds=" + seeds), status,
        maxError, meanError, bitExact, findings, ms, why);
  }

  /** Returns this row with its seed in the configuration. */
  public Row withSeed(long seed) {
    return new Row(kernel, arch, backend, config + " seed=" + seed, status, maxError, meanError, bitExact, findings, ms,
        reason);
  }

  /** Joins this row with the next seed's: the larger errors, the sum of the times and findings. */
  Row worse(Row next) {
    return new Row(next.kernel, next.arch, next.backend, next.config, next.status, larger(maxError, next.maxError),
        larger(meanError, next.meanError), bitExact.flatMap(mine -> next.bitExact.map(its -> mine && its)),
        findings + next.findings, ms + next.ms, next.reason);
  }

  private static OptionalDouble larger(OptionalDouble a, OptionalDouble b) {
    if (a.isEmpty() || b.isEmpty()) return a.isEmpty() ? b : a;
    return OptionalDouble.of(Math.max(a.getAsDouble(), b.getAsDouble()));
  }

  private static Row withoutResult(Case c, String backend, Status status, String reason) {
    return new Row(c.kernel(), c.arch(), backend, c.config(), status, OptionalDouble.empty(), OptionalDouble.empty(),
        Optional.empty(), 0, 0, reason);
  }
}
