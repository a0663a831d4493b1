package tilewright.cli.io;

import java.nio.file.Path;

/** Ends a command with one line for the user and an exit code. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int exitCode;

  private CommandFailure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public static CommandFailure badInput(String message) {
    return new CommandFailure(Exit.BAD_INPUT, message);
  }

  /** @param message what was found in the file and what is needed */
  public static CommandFailure badFile(Path file, String message) {
    return badInput(file + ": " + message);
  }

  public static CommandFailure environmentLacks(String message) {
    return new CommandFailure(Exit.ENVIRONMENT, message);
  }

  /** An error of Tilewright's own. */
  static CommandFailure unforeseen(String message) {
    return new CommandFailure(Exit.CHECK_FAILED, message);
  }

  /** This failure with {@code more} at the end of its message. */
  public CommandFailure with(String more) {
    return new CommandFailure(exitCode, getMessage() + more);
  }

  public int exitCode() {
    return exitCode;
  }
}
