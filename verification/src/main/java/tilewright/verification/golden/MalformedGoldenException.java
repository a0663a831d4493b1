package tilewright.verification.golden;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;

/** A folder or file of golden vectors that cannot be read; the message names it and, where there is one, the line. */
public final class MalformedGoldenException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MalformedGoldenException(Path file, String what) {
    super(file + ": " + what);
  }

  /** A file, or a folder below the named one, that the system refuses to read. */
  static MalformedGoldenException unreadable(Path file, IOException e) {
    // The message of such an exception is only the file's name.
    return e instanceof AccessDeniedException denied
        ? new MalformedGoldenException(Path.of(denied.getFile()), "cannot be read: permission denied")
        : new MalformedGoldenException(file, "cannot be read: " + e.getMessage());
  }

  MalformedGoldenException(Path file, int line, String what) {
    super(file + ", line " + line + ": " + what);
  }
}
