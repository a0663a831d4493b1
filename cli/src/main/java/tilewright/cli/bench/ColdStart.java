package tilewright.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.LaunchFile;
import tilewright.cli.launch.LaunchFileWriter;
import tilewright.ptx.Launch;

/** The time of {@code tilewright sim} from the shell for a tiny launch: start-up and loading. */
final class ColdStart {
  private static final int RUNS = 5;

  private ColdStart() {}

  /** The least of some runs, in milliseconds; empty where the program's script is not known or fails. */
  static Optional<Double> measure(Launch launch) {
    var script = Path.of(System.getProperty("tilewright.home", "")).resolve("tilewright");
    if (!Files.isExecutable(script)) return Optional.empty();
    try {
      var folder = Files.createTempDirectory("tilewright-bench");
      try {
        LaunchFileWriter.write(folder, launch);
        return time(script, folder.resolve(LaunchFile.NAME));
      } finally {
        delete(folder);
      }
    } catch (IOException _) {
      return Optional.empty();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Optional<Double> time(Path script, Path launch) throws IOException, InterruptedException {
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < RUNS; i++) {
      long begin = System.nanoTime();
      var process = new ProcessBuilder(script.toString(), "sim", "--no-sanitize", launch.toString())
          .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      if (process.waitFor() != Exit.OK) return Optional.empty();
      least = Math.min(least, (System.nanoTime() - begin) * 1e-6);
    }
    return Optional.of(least);
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
    }
  }
}
