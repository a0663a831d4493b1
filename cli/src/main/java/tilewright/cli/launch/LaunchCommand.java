package tilewright.cli.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.ClosedOutputException;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.io.Failures;

/** The base of {@code sim} and {@code gpu}, which run launches and compare the outputs with the expected ones. */
abstract class LaunchCommand implements Callable<Integer> {
  private final Console console;

  @Parameters(arity = "1..*", paramLabel = "LAUNCH.json|DIR",
      description = "Launches to run; a folder stands for every launch.json below it.")
  private List<Path> launches;

  @Option(names = "--out", paramLabel = "DIR",
      description = "Write every buffer as it is after the run, as DIR/LAUNCH/BUFFER.bin.")
  private Optional<Path> out;

  @Option(names = "--allow-outside",
      description = "Let launches name files outside of their own folders: of launches that you trust.")
  private boolean allowOutside;

  LaunchCommand(Console console) {
    this.console = console;
  }

  Console console() {
    return console;
  }

  /** Runs one launch; its buffers hold the results afterwards. */
  abstract LaunchRow run(String name, LaunchFile file);

  /** The memory that each launch may take. */
  MemoryLimit memoryLimit() {
    return MemoryLimit.ofJava();
  }

  @Override
  public Integer call() {
    var search = LaunchSearch.of(launches);
    var outputs = out.map(folder -> new LaunchOutputs(folder, search.files(), console));
    var rows = new ArrayList<LaunchRow>();
    for (var problem : search.problems()) report(LaunchRow.failed("", problem), rows);
    try (var progress = new LaunchProgress(console, search.files().size())) {
      for (var path : search.files()) {
        progress.begins(path.toString());
        var row = run(path, outputs);
        progress.pause();
        report(row, rows);
      }
    }
    if (rows.size() > 1) console.text(summary(rows));
    finish(rows);
    return rows.stream().mapToInt(LaunchRow::exitCode).max().orElse(Exit.OK);
  }

  private void report(LaunchRow row, List<LaunchRow> rows) {
    console.result(shown(row), shown(row).toText());
    console.out().flush();
    rows.add(row);
  }

  /** Returns the part of a row that reaches standard output. */
  LaunchRow shown(LaunchRow row) {
    return row;
  }

  /** Called with all rows after the last launch. */
  void finish(List<LaunchRow> rows) {}

  /** Counts the launches by status, as in {@code 3 launches: 2 ok, 1 refused}. */
  private static String summary(List<LaunchRow> rows) {
    return rows.size() + " launches: " + Arrays.stream(LaunchRow.Status.values())
        .map(status -> Map.entry(status, rows.stream().filter(row -> row.status() == status).count()))
        .filter(e -> e.getValue() > 0).map(e -> e.getValue() + " " + e.getKey().summary())
        .collect(Collectors.joining(", "));
  }

  /** One launch's failure, whatever it is, is its row's and does not end the others'. */
  private LaunchRow run(Path path, Optional<LaunchOutputs> outputs) {
    try {
      var file = LaunchFile.read(path, allowOutside, memoryLimit());
      var row = run(path.toString(), file);
      outputs.ifPresent(folders -> folders.write(file));
      return row;
    } catch (ClosedOutputException closed) {
      throw closed;
    } catch (CommandFailure failure) {
      return LaunchRow.failed(path.toString(), failure);
    } catch (RuntimeException | Error e) {
      return LaunchRow.failed(path.toString(), Failures.of(path + ": ", e));
    }
  }
}
