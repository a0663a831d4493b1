package tilewright.cli.cuda;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import tilewright.cli.io.CommandFailure;

/** A compiler that was run to its end: its exit status, and what it printed. */
record Tool(int status, String text) {
  /** @param need what to tell if there is no such program */
  static Tool run(List<String> command, Path folder, String need) {
    try {
      var process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
      process.getOutputStream().close();
      var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Tool(process.waitFor(), text);
    } catch (IOException e) {
      throw CommandFailure.environmentLacks(need + ": " + e.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw CommandFailure.environmentLacks("interrupted while " + command.getFirst() + " ran");
    }
  }
}
