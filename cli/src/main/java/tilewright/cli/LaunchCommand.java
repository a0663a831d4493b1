package tilewright.cli;

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

/** What {@code sim} and {@code gpu} share: both run launches and compare what comes out with what was expected. */
abstract class LaunchCommand implements Callable<Integer> {
  private final Console console;

  @Parameters(arity = "1..*", paramLabel = "LAUNCH.json|DIR",
      description = "Launches to run; a folder stands for every launch.json below it.")
  private List<Path> launches;

  @Option(names = "--out", paramLabel = "DIR",
      description = "Write every buffer as it is after the run, as DIR/LAUNCH/BUFFER.bin.")
  private Optional<Path> out;

  LaunchCommand(Console console) {
    this.console = console;
  }

  Console console() {
    return console;
  }

  /** Runs one launch; its buffers hold the results afterwards. */
  abstract LaunchRow run(String name, LaunchFile file);

  @Override
  public Integer call() {
    var paths = LaunchFile.find(launches);
    var rows = new ArrayList<LaunchRow>();
    try (var progress = new LaunchProgress(console, paths.size())) {
      for (var path : paths) {
        progress.begins(path.toString());
        var row = run(path);
        progress.pause();
        console.result(shown(row), shown(row).toText());
        console.out().flush();
        rows.add(row);
      }
    }
    if (rows.size() > 1) console.text(summary(rows));
    finish(rows);
    return rows.stream().mapToInt(LaunchRow::exitCode).max().orElse(Exit.OK);
  }

  /** What of a row reaches standard output. */
  LaunchRow shown(LaunchRow row) {
    return row;
  }

  /** What remains to be done when all launches have run. */
  void finish(List<LaunchRow> rows) {}

  /** Such as {@code 3 launches: 2 ok, 1 refused}. */
  private static String summary(List<LaunchRow> rows) {
    return rows.size() + " launches: " + Arrays.stream(LaunchRow.Status.values())
        .map(status -> Map.entry(status, rows.stream().filter(row -> row.status() == status).count()))
        .filter(e -> e.getValue() > 0).map(e -> e.getValue() + " " + e.getKey().summary())
        .collect(Collectors.joining(", "));
  }

  private LaunchRow run(Path path) {
    try {
      var file = LaunchFile.read(path);
      var row = run(path.toString(), file);
      out.ifPresent(folder -> LaunchFile.writeBuffers(folder.resolve(nameOf(path)), file.launch().buffers()));
      return row;
    } catch (CommandFailure failure) {
      if (failure.exitCode() != Exit.BAD_INPUT) throw failure;
      return LaunchRow.failed(path.toString(), failure.getMessage());
    }
  }

  /** A launch is called after its folder, or after its file where that has a name of its own. */
  private static String nameOf(Path path) {
    var file = path.getFileName().toString();
    var folder = path.toAbsolutePath().normalize().getParent().getFileName();
    return file.equals(LaunchFile.NAME) && folder != null ? folder.toString() : file.replaceFirst("\\.json$", "");
  }
}
