package tilewright.cli;

import java.io.IOException;
import java.io.OutputStream;
import tilewright.cli.io.ClosedOutputException;

/** Standard output whose errors end the command. {@link java.io.PrintStream} would keep them to itself. */
final class ResultStream extends OutputStream {
  private final OutputStream out;

  ResultStream(OutputStream out) {
    this.out = out;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) {
    try {
      out.write(bytes, offset, count);
    } catch (IOException e) {
      throw ClosedOutputException.of(e.getMessage());
    }
  }

  @Override
  public void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw ClosedOutputException.of(e.getMessage());
    }
  }
}
