package tilewright.cli;

import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns whatever ends a command early into one line and an exit code. */
final class Failures implements IParameterExceptionHandler, IExecutionExceptionHandler {
  private final Console console;

  Failures(Console console) {
    this.console = console;
  }

  @Override
  public int handleParseException(ParameterException e, String[] arguments) {
    var command = e.getCommandLine().getCommandSpec().qualifiedName();
    // What stands before the mistake has been parsed, what stands behind it has not.
    console.json(console.json() || Arrays.asList(arguments).contains("--json"));
    return report(console, CommandFailure.badInput(firstLine(e.getMessage()) + suggestion(e) + " (see " + command
        + " --help)"), e);
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult arguments) {
    return end(console, e);
  }

  /** Reports what ended the command and returns the exit code. */
  static int end(Console console, Throwable e) {
    return e instanceof ClosedOutputException closed ? end(console, closed) : report(console, of("", e), e);
  }

  private static int end(Console console, ClosedOutputException closed) {
    if (closed.readerGone()) return Exit.READER_GONE;
    console.note(closed.getMessage());
    return Exit.ENVIRONMENT;
  }

  private static int report(Console console, CommandFailure failure, Throwable cause) {
    try {
      console.failure(failure, cause);
      return failure.exitCode();
    } catch (ClosedOutputException closed) {
      return end(console, closed);
    }
  }

  /** What no command foresaw counts as a failed check: nothing that was asked for may be relied on. */
  static CommandFailure of(String where, Throwable e) {
    return switch (e) {
      case CommandFailure failure -> failure;
      case OutOfMemoryError _ -> CommandFailure.environmentLacks(where + "more memory is needed than Java may take here ("
          + (Runtime.getRuntime().maxMemory() >> 20) + " MiB): " + firstLine(String.valueOf(e.getMessage())));
      case InvalidPathException path -> CommandFailure.badInput(where + "no file can be called '" + path.getInput()
          + "': " + path.getReason());
      default -> CommandFailure.unforeseen(where + "unexpected " + firstLine(e.toString()) + " (--debug shows where)");
    };
  }

  /** The subcommand or option that was probably meant. */
  private static String suggestion(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched) || unmatched.getUnmatched().isEmpty()) return "";
    var given = unmatched.getUnmatched().getFirst();
    var spec = e.getCommandLine().getCommandSpec();
    var known = new ArrayList<>(given.startsWith("-") ? spec.optionsMap().keySet() : spec.subcommands().keySet());
    var name = given.startsWith("-") ? given.replaceFirst("=.*", "") : given;
    return NearestName.hint(name, List.copyOf(known), "");
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
