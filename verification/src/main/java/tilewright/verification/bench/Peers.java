package tilewright.verification.bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A Python process that times others' kernels through PyTorch and JAX on request, while we measure ours in between. */
final class Peers implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path script;
  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;
  private final Consumer<String> notes;

  private Peers(Path script, Process process, Consumer<String> notes) {
    this.notes = notes;
    this.script = script;
    this.process = process;
    this.requests = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts the interpreter.
   *
   * @param notes told what peers could not do, and which of their times are less sure
   * @throws BenchmarkException when there is no such Python
   */
  static Peers start(String python, Consumer<String> notes) {
    return start(python, "peers.py", List.of(), notes);
  }

  /** @param resource the script, which is given the arguments */
  static Peers start(String python, String resource, List<String> arguments, Consumer<String> notes) {
    try {
      var script = Files.createTempFile("tilewright-peers", ".py");
      try (var source = Peers.class.getResourceAsStream(resource)) {
        Files.copy(source, script, StandardCopyOption.REPLACE_EXISTING);
      }
      var command = new ArrayList<>(List.of(python, script.toString()));
      command.addAll(arguments);
      return new Peers(script, new ProcessBuilder(command)
          .redirectError(ProcessBuilder.Redirect.DISCARD).start(), notes);
    } catch (IOException e) {
      throw new BenchmarkException("cannot start '" + python + "' for the peers: " + e.getMessage());
    }
  }

  /** Median milliseconds of one run, by peer; empty where no peer has such a kernel. */
  Map<String, Double> times(Map<String, Object> request) {
    var times = new TreeMap<String, Double>();
    var answer = ask(request);
    answer.path("ms").properties().forEach(e -> times.put(e.getKey(), e.getValue().asDouble()));
    answer.path("failures").forEach(failure -> notes.accept("a peer failed: " + failure.asString()));
    answer.path("notes").forEach(note -> notes.accept("a peer's time: " + note.asString()));
    return times;
  }

  /** Versions of the libraries behind the peers. */
  Map<String, String> versions() {
    var versions = new TreeMap<String, String>();
    ask(Map.of("op", "versions")).get("versions").properties()
        .forEach(entry -> versions.put(entry.getKey(), entry.getValue().asString()));
    return versions;
  }

  private JsonNode ask(Map<String, Object> request) {
    try {
      requests.write(JSON.writeValueAsString(request));
      requests.newLine();
      requests.flush();
      var line = answers.readLine();
      if (line == null) {
        throw new BenchmarkException("the peers' Python ended without an answer: it needs PyTorch with CUDA");
      }
      var answer = JSON.readTree(line);
      if (answer.has("error")) throw new BenchmarkException("the peers answered: " + answer.get("error").asString());
      return answer;
    } catch (IOException e) {
      throw new BenchmarkException("the peers' Python ended: " + e.getMessage() + "; it needs PyTorch with CUDA");
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      Files.deleteIfExists(script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
