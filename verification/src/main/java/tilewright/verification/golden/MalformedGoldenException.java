package tilewright.verification.golden;

import java.nio.file.Path;

/** A folder or file of golden vectors that cannot be read; the message names it and, where there is one, the line. */
public final class MalformedGoldenException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MalformedGoldenException(Path file, String what) {
    super(file + ": " + what);
  }

  MalformedGoldenException(Path file, int line, String what) {
    super(file + ", line " + line + ": " + what);
  }
}
