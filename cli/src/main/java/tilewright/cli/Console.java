package tilewright.cli;

import java.io.InputStream;
import java.io.PrintStream;
import tools.jackson.databind.json.JsonMapper;

/** Where a command reads and writes. With {@code --json}, only JSON objects reach standard output. */
final class Console {
  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;
  private boolean json;
  private boolean debug;

  Console(InputStream in, PrintStream out, PrintStream err) {
    this.in = in;
    this.out = out;
    this.err = err;
  }

  void json(boolean on) {
    json = on;
  }

  boolean json() {
    return json;
  }

  void debug(boolean on) {
    debug = on;
  }

  InputStream in() {
    return in;
  }

  PrintStream out() {
    return out;
  }

  PrintStream err() {
    return err;
  }

  /** Reports one result: as a JSON object on a line of its own, or as text. */
  void result(Object record, String text) {
    out.println(json ? Json.MAPPER.writeValueAsString(record) : text);
  }

  /** Text that only people read; with {@code --json} it goes to standard error. */
  void text(String line) {
    (json ? err : out).println(line);
  }

  /** Progress and remarks. */
  void note(String line) {
    err.println("tilewright: " + line);
  }

  /** Reports what ended a command; the details only help whoever mends Tilewright. */
  void failure(String line, Throwable cause) {
    err.println("tilewright: " + line);
    if (debug) cause.printStackTrace(err);
  }

  /** Loaded only when JSON is asked for: Jackson would double the start-up time of the other commands. */
  private static final class Json {
    static final JsonMapper MAPPER = JsonMapper.shared();
  }
}
