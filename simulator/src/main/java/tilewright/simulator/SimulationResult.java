package tilewright.simulator;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The outcome of a launch. The launch's buffers hold the results, also when it was stopped.
 *
 * @param findings what is wrong with the launch, one per mistake, in PTX order; empty for a clean run
 * @param instructions thread instructions executed
 * @param time wall-clock time of the execution
 * @param bankConflicts shared-memory accesses by instruction, in PTX order; empty unless watched
 * @param globalTraffic global-memory accesses by instruction, in PTX order; empty unless watched
 * @param profile if it was asked for
 */
public record SimulationResult(List<Finding> findings, long instructions, Duration time,
    List<BankConflicts> bankConflicts, List<GlobalTraffic> globalTraffic, Optional<Profile> profile) {
  public SimulationResult {
    findings = List.copyOf(findings);
    bankConflicts = List.copyOf(bankConflicts);
    globalTraffic = List.copyOf(globalTraffic);
  }

  /** Whether the launch ran to its end and nothing was found. */
  public boolean ok() {
    return findings.isEmpty();
  }
}
