package tilewright.cli;

import java.nio.file.Path;

/** Ends a command with one line for the user and an exit code. */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int exitCode;

  private CommandFailure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  static CommandFailure badInput(String message) {
    return new CommandFailure(Exit.BAD_INPUT, message);
  }

  /** @param message what was found in the file and what is needed */
  static CommandFailure badFile(Path file, String message) {
    return badInput(file + ": " + message);
  }

  static CommandFailure environmentLacks(String message) {
    return new CommandFailure(Exit.ENVIRONMENT, message);
  }

  /** An error of Tilewright's own. */
  static CommandFailure unforeseen(String message) {
    return new CommandFailure(Exit.CHECK_FAILED, message);
  }

  /** This failure with {@code more} at the end of its message. */
  CommandFailure with(String more) {
    return new CommandFailure(exitCode, getMessage() + more);
  }

  int exitCode() {
    return exitCode;
  }
}
