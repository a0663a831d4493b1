package tilewright.cli.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.ptx.Launch;
import tilewright.simulator.Exploration;
import tilewright.simulator.ExplorationLimits;
import tilewright.simulator.Schedule;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** The options that have all schedules of a launch explored, or one of them replayed. */
final class ExploreOptions {
  private static final Duration BETWEEN_PROGRESS = Duration.ofSeconds(2);

  @Option(names = "--explore",
      description = "Explore the schedules of barriers, asynchronous operations and atomics of a small launch: prove "
          + "that all end well and alike, or show one that does not.")
  private boolean explore;

  @Option(names = "--limit-schedules", paramLabel = "N", defaultValue = "100000",
      description = "Stop --explore, unproved, after N schedules (default: 100000).")
  private long schedules;

  @Option(names = "--save-schedule", paramLabel = "FILE",
      description = "Write the schedule that --explore ended with.")
  private Optional<Path> save;

  @Option(names = "--schedule", paramLabel = "FILE", description = "Replay a schedule, with the sanitizer.")
  private Optional<Path> replay;

  /** @throws CommandFailure naming options that do not go together, and values that cannot be */
  void check() {
    if (schedules < 1) {
      throw CommandFailure.badInput("--limit-schedules is " + schedules + "; needed is 1 or more");
    }
    if (explore && replay.isPresent()) {
      throw CommandFailure.badInput("--explore and --schedule exclude each other");
    }
    if (!explore && save.isPresent()) throw CommandFailure.badInput("--save-schedule needs --explore");
    save.ifPresent(AtomicFile::requireWritable);
  }

  /** Whether a launch is not simply run. */
  boolean used() {
    return explore || replay.isPresent();
  }

  /** Explores the schedules of the launch, or replays one; its buffers hold the results of the last run. */
  LaunchRow run(String name, LaunchFile file, SimulatorOptions options, Console console) {
    return explore ? explore(name, file, options, console) : replay(name, file, options, replay.orElseThrow());
  }

  private LaunchRow explore(String name, LaunchFile file, SimulatorOptions options, Console console) {
    var told = new long[] {System.nanoTime()};
    var limits = new ExplorationLimits(schedules, options.timeLimit(), progress -> {
      if (System.nanoTime() - told[0] < BETWEEN_PROGRESS.toNanos()) return;
      told[0] = System.nanoTime();
      console.progress(name + ": " + progress.schedules() + " schedules, " + progress.steps() + " steps");
    });
    var launch = file.launch();
    var exploration = Simulator.load(launch.ptx()).explore(launch, options, limits);
    save.ifPresent(path -> AtomicFile.write(path, exploration.schedule().text()));
    boolean ends = exploration.outcome() == Exploration.Outcome.PROVED;
    return LaunchRow.of(name, exploration, ends ? file.mismatch() : Optional.empty());
  }

  private static LaunchRow replay(String name, LaunchFile file, SimulatorOptions options, Path path) {
    Launch launch = file.launch();
    var result = Simulator.load(launch.ptx()).replay(launch, options, read(path));
    return LaunchRow.of(name, Backend.Result.of(result), result.findings().isEmpty() ? file.mismatch()
        : Optional.empty()).sanitized(true);
  }

  private static Schedule read(Path path) {
    try {
      return Schedule.parse(Files.readString(path));
    } catch (IOException | IllegalArgumentException e) {
      throw CommandFailure.badInput("--schedule " + path + ": "
          + (e instanceof IOException ? "it cannot be read" : e.getMessage()));
    }
  }
}
