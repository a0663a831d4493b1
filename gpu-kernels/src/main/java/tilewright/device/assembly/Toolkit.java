package tilewright.device.assembly;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The programs of CUDA toolkits. */
final class Toolkit {
  private Toolkit() {}

  /** Looks on {@code PATH}, under {@code CUDA_HOME} and {@code /usr/local/cuda*}. */
  static Optional<Path> find(String program) {
    return folders().stream().map(folder -> folder.resolve(program)).filter(Files::isExecutable).findFirst();
  }

  private static List<Path> folders() {
    var folders = new ArrayList<Path>();
    for (var folder : System.getenv().getOrDefault("PATH", "").split(":")) {
      if (!folder.isEmpty()) folders.add(Path.of(folder));
    }
    var home = System.getenv().getOrDefault("CUDA_HOME", "");
    if (!home.isEmpty()) folders.add(Path.of(home, "bin"));
    folders.addAll(installed());
    return folders;
  }

  private static List<Path> installed() {
    var installed = new ArrayList<Path>();
    try (var toolkits = Files.newDirectoryStream(Path.of("/usr/local"), "cuda*")) {
      toolkits.forEach(toolkit -> installed.add(toolkit.resolve("bin")));
    } catch (IOException _) {
      return List.of();
    }
    installed.sort(Comparator.reverseOrder());
    return installed;
  }

  /** @param log standard output and error together */
  record Run(int exit, String log) {}

  static Run run(List<String> command) throws IOException {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      var log = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Run(process.waitFor(), log);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + command.getFirst(), e);
    } finally {
      process.destroy();
    }
  }
}
