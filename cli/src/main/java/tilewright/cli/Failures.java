package tilewright.cli;

import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns whatever ends a command early into one line and an exit code. */
final class Failures implements IParameterExceptionHandler, IExecutionExceptionHandler {
  private final Console console;

  Failures(Console console) {
    this.console = console;
  }

  @Override
  public int handleParseException(ParameterException e, String[] arguments) {
    var command = e.getCommandLine().getCommandSpec().qualifiedName();
    console.failure(firstLine(e.getMessage()) + " (see " + command + " --help)", e);
    return Exit.BAD_INPUT;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult arguments) {
    if (e instanceof CommandFailure failure) {
      console.failure(failure.getMessage(), failure);
      return failure.exitCode();
    }
    return unexpected(console, e);
  }

  /** What no command foresaw counts as a failed check: nothing that was asked for may be relied on. */
  static int unexpected(Console console, Throwable e) {
    console.failure("unexpected " + firstLine(e.toString()) + " (--debug shows where)", e);
    return Exit.CHECK_FAILED;
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
