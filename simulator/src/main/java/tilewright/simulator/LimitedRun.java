package tilewright.simulator;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxParser;

/** One launch from its text, under one limit of time and memory for reading, compiling and executing it. */
final class LimitedRun {
  private final SimulatorOptions options;
  private final long start = System.nanoTime();

  private LimitedRun(SimulatorOptions options) {
    this.options = options;
  }

  /** Ends the work when there is no time left. */
  private static final class OutOfTime extends RuntimeException {
    private static final long serialVersionUID = 1;

    OutOfTime() {
      super(null, null, false, false);
    }
  }

  static SimulationResult of(Launch launch, SimulatorOptions options) {
    return new LimitedRun(options).run(launch);
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private void check() {
    if (elapsed().compareTo(options.timeLimit()) > 0) throw new OutOfTime();
  }

  private SimulationResult run(Launch launch) {
    try {
      var program = Program.of(PtxParser.parse(launch.ptx(), this::check), launch.entry(), options,
          this::check);
      check();
      return program.run(launch, options, start);
    } catch (OutOfTime _) {
      return stopped(Finding.Kind.TIME_LIMIT, "stopped while the PTX was read and compiled: the time limit is "
          + options.timeLimit().toMillis() + " ms");
    } catch (OutOfMemoryError _) {
      return stopped(Finding.Kind.MEMORY_LIMIT, "stopped while the PTX was read and compiled: the JVM's memory of "
          + Runtime.getRuntime().maxMemory() + " bytes is used up");
    }
  }

  private SimulationResult stopped(Finding.Kind kind, String message) {
    var none = new Dim3(0, 0, 0);
    var finding = new Finding(kind, message, kind.fix(), 0, "", "", none, none, 0, Optional.empty(), 1);
    return new SimulationResult(List.of(finding), 0, elapsed(), List.of(), List.of(), Optional.empty());
  }
}
