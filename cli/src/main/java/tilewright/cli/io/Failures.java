package tilewright.cli.io;

import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns whatever ends a command early into one line and an exit code. */
public final class Failures implements IParameterExceptionHandler, IExecutionExceptionHandler {
  private final Console console;

  public Failures(Console console) {
    this.console = console;
  }

  @Override
  public int handleParseException(ParameterException thrown, String[] arguments) {
    var e = misspelt(thrown);
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
  public static int end(Console console, Throwable e) {
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

  /** Returns an exception as a failure; an unforeseen one counts as a failed check, since no result is reliable. */
  public static CommandFailure of(String where, Throwable e) {
    return switch (e) {
      case CommandFailure failure -> failure;
      case OutOfMemoryError _ -> CommandFailure.environmentLacks(where + "more memory is needed than Java may take here ("
          + (Runtime.getRuntime().maxMemory() >> 20) + " MiB): " + firstLine(String.valueOf(e.getMessage())));
      case InvalidPathException path -> CommandFailure.badInput(where + "no file can be called '" + path.getInput()
          + "': " + path.getReason());
      default -> CommandFailure.unforeseen(where + "unexpected " + firstLine(e.toString()) + " (--debug shows where)");
    };
  }

  /** Picocli misses an option before it complains of the unknown one that was meant to be it. */
  private static ParameterException misspelt(ParameterException e) {
    var unknown = e.getCommandLine().getUnmatchedArguments();
    return e instanceof MissingParameterException && !unknown.isEmpty()
        ? new UnmatchedArgumentException(e.getCommandLine(), unknown) : e;
  }

  /** The subcommand, option or value that was probably meant. */
  private static String suggestion(ParameterException e) {
    if (e.getArgSpec() != null && e.getArgSpec().type().isEnum() && e.getValue() != null) {
      var values = Arrays.stream(e.getArgSpec().type().getEnumConstants())
          .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT)).toList();
      return NearestName.hint(e.getValue(), values, "");
    }
    if (!(e instanceof UnmatchedArgumentException unmatched) || unmatched.getUnmatched().isEmpty()) return "";
    var given = unmatched.getUnmatched().getFirst();
    var spec = e.getCommandLine().getCommandSpec();
    var known = new ArrayList<>(given.startsWith("-") ? spec.optionsMap().keySet() : spec.subcommands().keySet());
    var name = given.startsWith("-") ? given.replaceFirst("=.*", "") : given;
    return NearestName.hint(name, List.copyOf(known), "");
  }

  /** The first line of the exception that caused all others. */
  public static String rootOf(Throwable e) {
    var root = e;
    while (root.getCause() != null) root = root.getCause();
    return firstLine(root.toString());
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
