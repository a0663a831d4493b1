package tilewright.simulator.blackwell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Has the vendor's assembler, where it is installed, confirm that a test's PTX is what a device would take. */
final class Ptxas {
  private static final Set<String> SEEN = new HashSet<>();

  private Ptxas() {}

  /** The text itself, after it was assembled. */
  static String checked(String ptx) {
    var tool = find();
    if (tool.isEmpty()) return ptx;
    synchronized (SEEN) {
      if (!SEEN.add(ptx)) return ptx;
    }
    try {
      var file = Files.createTempFile("kernel", ".ptx");
      try {
        Files.writeString(file, ptx);
        var process = new ProcessBuilder(tool.get().toString(), "-arch=" + target(ptx), "-O0", "-o", "/dev/null",
            file.toString()).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) throw new AssertionError("ptxas refuses the kernel:\n" + output + "\n" + ptx);
        return ptx;
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new AssertionError("ptxas cannot be run", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private static String target(String ptx) {
    return ptx.lines().filter(line -> line.startsWith(".target ")).findFirst().orElseThrow().substring(8).strip();
  }

  private static Optional<Path> find() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":")).map(p -> Path.of(p, "ptxas"))
        .filter(Files::isExecutable).findFirst();
  }
}
