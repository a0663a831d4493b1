package tilewright.verification.golden;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream that ends with an error in a line longer than any record, or when all that is read has more bytes than
 * allowed: a packed file of a megabyte can hold a gigabyte.
 */
final class LimitedLines extends FilterInputStream {
  /** Bytes of a line at most. */
  static final int LONGEST = 16 << 20;

  private final long most;
  private long line;
  private long total;

  /**
   * Limits a stream.
   *
   * @param before bytes of earlier streams that count too
   * @param most bytes in all
   */
  LimitedLines(InputStream in, long before, long most) {
    super(in);
    total = before;
    this.most = most;
  }

  /** The number of bytes read so far, those of earlier streams included. */
  long total() {
    return total;
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
    if (++total > most) throw new IOException("the folder's files unpack to more than " + most + " bytes");
  }
}
