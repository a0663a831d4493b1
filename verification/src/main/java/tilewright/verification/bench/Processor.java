package tilewright.verification.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processor of this machine. */
public final class Processor {
  private Processor() {}

  /** Returns the model of the processor, or its architecture if the model is unknown. */
  public static String name() {
    try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines.filter(l -> l.startsWith("model name")).map(l -> l.replaceFirst(".*:\\s*", "")).findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException _) {
      return System.getProperty("os.arch");
    }
  }
}
