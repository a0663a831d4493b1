package tilewright.verification.golden;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that ends with an error in a line longer than any record: a packed file of a megabyte can hold a gigabyte. */
final class LimitedLines extends FilterInputStream {
  /** Bytes of a line at most. */
  static final int LONGEST = 16 << 20;

  private long line;

  LimitedLines(InputStream in) {
    super(in);
  }

  @Override
  public int read() throws IOException {
    int b = super.read();
    if (b >= 0) count((byte) b);
    return b;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = super.read(bytes, offset, length);
    for (int i = 0; i < count; i++) count(bytes[offset + i]);
    return count;
  }

  private void count(byte b) throws IOException {
    line = b == '\n' ? 0 : line + 1;
    if (line > LONGEST) throw new IOException("a line has more than " + LONGEST + " bytes");
  }
}
