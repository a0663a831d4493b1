package tilewright.cli.cuda;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** One message of the library in the program: an operation and its operands, little-endian. */
record Frame(int operation, ByteBuffer operands) {
  static final int HELLO = 1;
  static final int ALLOCATE = 2;
  static final int FREE = 3;
  static final int MODULE = 4;
  static final int KERNEL = 5;
  static final int VARIABLE = 6;
  static final int LAUNCH = 7;
  static final int FETCH = 8;
  static final int STORE = 9;
  static final int RELEASE = 10;
  static final int ENCODE = 11;
  static final int HEAP_LIMIT = 12;
  static final int UNSUITABLE = 13;
  static final int SHARE = 14;
  static final int OPEN_SHARED = 15;
  private static final int HEADER_BYTES = 8;

  /** @throws EOFException when the program has closed the connection */
  static Frame read(InputStream in) throws IOException {
    var header = filled(in, HEADER_BYTES);
    return new Frame(header.getInt(), filled(in, header.getInt()));
  }

  private static ByteBuffer filled(InputStream in, int bytes) throws IOException {
    var all = in.readNBytes(bytes);
    if (all.length < bytes) throw new EOFException();
    return ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
  }

  String text() {
    var bytes = new byte[operands.getInt()];
    operands.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** An answer: its status, a {@code cudaError_t}, and results. */
  static final class Answer {
    private ByteBuffer bytes = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN).position(HEADER_BYTES);
    private final int status;

    Answer(int status) {
      this.status = status;
    }

    Answer put(int value) {
      room(Integer.BYTES).putInt(value);
      return this;
    }

    Answer put(long value) {
      room(Long.BYTES).putLong(value);
      return this;
    }

    Answer put(byte[] value) {
      room(value.length).put(value);
      return this;
    }

    private ByteBuffer room(int more) {
      if (bytes.remaining() < more) {
        bytes = ByteBuffer.allocate(2 * (bytes.position() + more)).order(ByteOrder.LITTLE_ENDIAN).put(bytes.flip());
      }
      return bytes;
    }

    void write(SocketChannel channel) throws IOException {
      bytes.putInt(0, status).putInt(4, bytes.position() - HEADER_BYTES).flip();
      while (bytes.hasRemaining()) channel.write(bytes);
    }
  }
}
