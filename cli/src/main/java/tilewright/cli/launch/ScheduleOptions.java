package tilewright.cli.launch;

import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.simulator.SimulatorOptions;

/** The options that say in which order a simulated launch runs, and when it is stopped. */
public final class ScheduleOptions {
  private static final double NANOS_PER_SECOND = 1e9;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "0",
      description = "Choose another interleaving of warps; the same seed gives the same one (default: 0).")
  private long seed;

  @Option(names = "--threads", paramLabel = "N",
      description = "Run N blocks at a time; 1 makes reports of races between blocks equal, run by run "
          + "(default: as many as there are processors).")
  private Optional<Integer> threads;

  @Option(names = "--limit-instructions", paramLabel = "N", defaultValue = "1000000000000",
      description = "Stop a launch after N thread instructions (default: 10^12).")
  private long instructions;

  @Option(names = "--limit-seconds", paramLabel = "S", defaultValue = "600",
      description = "Stop a launch after S seconds (default: 600).")
  private double seconds;

  /** @throws CommandFailure naming a value that cannot be, and what is needed */
  public void check() {
    if (instructions < 1) {
      throw CommandFailure.badInput("--limit-instructions is " + instructions + "; needed is 1 or more");
    }
    if (!(seconds > 0)) throw CommandFailure.badInput("--limit-seconds is " + seconds + "; needed is more than 0");
    threads.filter(n -> n < 1).ifPresent(n -> {
      throw CommandFailure.badInput("--threads is " + n + "; needed is 1 or more");
    });
  }

  /** Returns the options with this order and these limits. */
  public SimulatorOptions applyTo(SimulatorOptions options) {
    return options.withThreads(threads.orElse(options.threads())).withSeed(seed).withInstructionLimit(instructions)
        .withTimeLimit(Duration.ofNanos((long) (seconds * NANOS_PER_SECOND)));
  }
}
