package tilewright.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
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
    var exitCode = Exit.OK;
    for (var path : LaunchFile.find(launches)) {
      var row = run(path);
      console.result(row, row.toText());
      console.out().flush();
      exitCode = Math.max(exitCode, row.exitCode());
    }
    return exitCode;
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
