package tilewright.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One run of the command with its streams captured. */
public record Cli(int exitCode, String out, String err) {

  public static Cli run(String... arguments) {
    return runWithInput("", arguments);
  }

  public static Cli runWithInput(String input, String... arguments) {
    return runWithInput(input.getBytes(StandardCharsets.UTF_8), arguments);
  }

  public static Cli runWithInput(byte[] input, String... arguments) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var exitCode = Main.run(new ByteArrayInputStream(input),
        new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8),
        arguments);
    return new Cli(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** Standard output, one JSON document a line. */
  public List<JsonNode> json() {
    return out.lines().map(JsonMapper.shared()::readTree).toList();
  }
}
