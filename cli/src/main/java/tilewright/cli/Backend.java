package tilewright.cli;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Launch;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Where a launch runs. */
enum Backend {
  /** The simulator, on any machine. */
  SIM {
    @Override
    Result run(Launch launch) {
      return simulate(launch, SimulatorOptions.defaults());
    }
  };

  /**
   * @param findings what is wrong with the launch; empty for a clean run
   * @param instructions thread instructions executed, where they are counted
   */
  record Result(List<?> findings, Optional<Long> instructions, double ms) {
    Result {
      findings = List.copyOf(findings);
    }
  }

  /** Runs the launch; its buffers hold the results afterwards. */
  abstract Result run(Launch launch);

  static Result simulate(Launch launch, SimulatorOptions options) {
    var result = Simulator.load(launch.ptx()).run(launch, options);
    return new Result(result.findings(), Optional.of(result.instructions()), result.time().toNanos() / 1e6);
  }

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
