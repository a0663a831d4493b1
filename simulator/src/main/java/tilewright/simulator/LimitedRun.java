package tilewright.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxParser;

/** Launches from their texts, under one limit of time and memory for reading, compiling and executing them. */
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
    var run = new LimitedRun(options);
    return run.limited(() -> run.run(launch), Function.identity());
  }

  static GroupResult of(LaunchGroup group, SimulatorOptions options) {
    var run = new LimitedRun(options);
    int first = group.members().getFirst().device();
    return run.limited(() -> run.run(group), stopped -> new GroupResult(new TreeMap<>(Map.of(first, stopped))));
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private void check() {
    if (elapsed().compareTo(options.timeLimit()) > 0) throw new OutOfTime();
  }

  private SimulationResult run(Launch launch) {
    var program = Program.of(PtxParser.parse(launch.ptx(), this::check), launch.entry(), options, this::check);
    check();
    return program.run(launch, options, start);
  }

  /** A kernel of a module whose variables begin at a window. */
  private record Code(String ptx, String entry, int window) {}

  private GroupResult run(LaunchGroup group) {
    var modules = new HashMap<String, PtxModule>();
    var programs = new HashMap<Code, Engine.Executable>();
    var kernels = new ArrayList<Engine.Executable>();
    int window = 1;
    for (var member : group.members()) {
      var launch = member.launch();
      var module = modules.computeIfAbsent(launch.ptx(), ptx -> PtxParser.parse(ptx, this::check));
      int variables = Program.ENGINE.variables(module, window).size();
      // Modules without variables are the same wherever these would be.
      var code = new Code(launch.ptx(), launch.entry(), variables == 0 ? 1 : window);
      kernels.add(programs.computeIfAbsent(code,
          c -> Program.compiled(module, c.window, c.entry, options, this::check)));
      window += variables;
    }
    check();
    return Program.ENGINE.run(kernels, group, options, start);
  }

  private <T> T limited(Supplier<T> work, Function<SimulationResult, T> stopped) {
    try {
      return work.get();
    } catch (OutOfTime _) {
      return stopped.apply(stopped(Finding.Kind.TIME_LIMIT, "stopped while the PTX was read and compiled: the time "
          + "limit is " + options.timeLimit().toMillis() + " ms"));
    } catch (OutOfMemoryError _) {
      return stopped.apply(stopped(Finding.Kind.MEMORY_LIMIT, "stopped while the PTX was read and compiled: the JVM's "
          + "memory of " + Runtime.getRuntime().maxMemory() + " bytes is used up"));
    }
  }

  private SimulationResult stopped(Finding.Kind kind, String message) {
    var none = new Dim3(0, 0, 0);
    var finding = new Finding(kind, message, kind.fix(), 0, "", "", none, none, 0, Optional.empty(), 1);
    return new SimulationResult(List.of(finding), 0, elapsed(), List.of(), List.of(), Optional.empty());
  }
}
