package tilewright.cli.wheel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a process of Python leaves; a test without a {@code python3} is skipped.
 *
 * @param text of standard output and of errors
 */
record Python(int status, String text) {

  static Python run(Map<String, String> environment, String... arguments) throws IOException, InterruptedException {
    var builder = new ProcessBuilder(Stream.concat(Stream.of("python3"), Stream.of(arguments)).toList())
        .redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      assumeTrue(false, "no python3 here: " + e.getMessage());
      throw e;
    }
    var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Python(process.waitFor(), text);
  }
}
