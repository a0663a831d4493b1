package tilewright.cli.io;

import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import tools.jackson.databind.json.JsonMapper;

/** The standard streams of a command. With {@code --json}, only JSON objects reach standard output. */
public final class Console {
  /** How long a bar waits before it writes another line where it cannot write over the last one. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Erases to the end of the line (ECMA-48, EL). */
  private static final String ERASE = "\u001b[K";

  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;
  private final Terminal terminal;
  private boolean json;
  private boolean debug;
  private long lastLine = System.nanoTime() - PATIENCE.toNanos();

  /** A console whose streams are no terminals. */
  public Console(InputStream in, PrintStream out, PrintStream err) {
    this(in, out, err, Terminal.NONE);
  }

  public Console(InputStream in, PrintStream out, PrintStream err, Terminal terminal) {
    this.in = in;
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  public Terminal terminal() {
    return terminal;
  }

  public void json(boolean on) {
    json = on;
  }

  public boolean json() {
    return json;
  }

  public void debug(boolean on) {
    debug = on;
  }

  public InputStream in() {
    return in;
  }

  public PrintStream out() {
    return out;
  }

  public PrintStream err() {
    return err;
  }

  /** Reports one result: as a JSON object on a line of its own, or as text. */
  public void result(Object record, String text) {
    out.println(json ? Json.MAPPER.writeValueAsString(record) : text);
  }

  /** A table that only people read; with {@code --json} there is none. */
  public void table(TextTable table) {
    if (!json) text(table.toString(terminal));
  }

  /** Text that only people read; with {@code --json} it goes to standard error. */
  public void text(String line) {
    (json ? err : out).println(line);
  }

  /** Shows the current step: on a terminal in place of the last one, elsewhere on a line of its own. */
  public void progress(String line) {
    if (terminal.err()) {
      err.print("\r" + line + ERASE);
      err.flush();
    } else {
      err.println(line);
    }
  }

  /**
   * Shows how far a long run is: on a terminal as a bar with the time that is left, elsewhere on a line now and then.
   *
   * @param done the part of the work that is done, 0 to 1
   * @param since how long the run has taken so far
   */
  public void progress(double done, Duration since, String step) {
    if (terminal.err()) {
      progress(ProgressBar.line(done, since, step, terminal.width()));
    } else if (System.nanoTime() - lastLine >= PATIENCE.toNanos()) {
      lastLine = System.nanoTime();
      progress(step);
    }
  }

  /** Clears the progress line. */
  public void progressDone() {
    if (terminal.err()) err.print("\r" + ERASE);
  }

  /** Prints the output of a kernel on standard error, so that standard output holds only results. */
  public void kernelText(String text) {
    err.print(text);
    err.flush();
  }

  /** Prints a remark on standard error. */
  public void note(String line) {
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

  /** Replaces control characters, which a terminal would obey: messages quote files that others wrote. */
  private static String printable(String line) {
    return line.replaceAll("[\\p{Cc}&&[^\\n\\t]]", "?");
  }

  /** Loaded only when JSON is asked for: Jackson would double the start-up time of the other commands. */
  private static final class Json {
    static final JsonMapper MAPPER = JsonMapper.shared();
  }
}
