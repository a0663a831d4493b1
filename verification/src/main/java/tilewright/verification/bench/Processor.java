package tilewright.verification.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** This machine's processor. */
public final class Processor {
  private Processor() {}

  /** Its model, or where that is not known its architecture. */
  public static String name() {
    try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines.filter(l -> l.startsWith("model name")).map(l -> l.replaceFirst(".*:\\s*", "")).findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException _) {
      return System.getProperty("os.arch");
    }
  }
}
