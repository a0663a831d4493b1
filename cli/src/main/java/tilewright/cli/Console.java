package tilewright.cli;

import java.io.InputStream;
import java.io.PrintStream;
import tools.jackson.databind.json.JsonMapper;

/** Where a command reads and writes. With {@code --json}, only JSON objects reach standard output. */
final class Console {
  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal = System.console() != null && System.console().isTerminal();
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

  /** What is being done now: replaces itself on a terminal, is a line of its own elsewhere. */
  void progress(String line) {
    if (terminal) {
      // Return, text, erase to the end of the line (ECMA-48, EL).
      err.print("\r" + line + "\u001b[K");
      err.flush();
    } else {
      err.println(line);
    }
  }

  /** Clears the progress line. */
  void progressDone() {
    if (terminal) err.print("\r\u001b[K");
  }

  /** What a kernel prints: beside the results, which stay what other programs can read. */
  void kernelText(String text) {
    err.print(text);
    err.flush();
  }

  /** Remarks. */
  void note(String line) {
    err.println("tilewright: " + printable(line));
  }

  /**
   * Reports what ended a command: a line on standard error and, with {@code --json}, an object with {@code error} and
   * {@code exitCode} on standard output.
   *
   * @param cause only helps whoever mends Tilewright
   */
  void failure(CommandFailure failure, Throwable cause) {
    note(failure.getMessage());
    if (debug) cause.printStackTrace(err);
    if (json) result(new FailureRow(failure.getMessage(), failure.exitCode()), "");
  }

  record FailureRow(String error, int exitCode) {}

  /** Without characters that a terminal would obey: much of what messages quote comes from files of others. */
  private static String printable(String line) {
    return line.replaceAll("[\\p{Cc}&&[^\\n\\t]]", "?");
  }

  /** Loaded only when JSON is asked for: Jackson would double the start-up time of the other commands. */
  private static final class Json {
    static final JsonMapper MAPPER = JsonMapper.shared();
  }
}
