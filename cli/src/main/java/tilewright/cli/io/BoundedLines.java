package tilewright.cli.io;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Lines of UTF-8 text of which only the beginning is kept, however long they are. */
public final class BoundedLines implements AutoCloseable {
  private final InputStreamReader reader;
  private final int longest;
  private final char[] buffer = new char[1 << 13];
  private int at;
  private int end;

  public BoundedLines(InputStream in, int longest) {
    this.reader = new InputStreamReader(in, StandardCharsets.UTF_8);
    this.longest = longest;
  }

  /** The next line without its end, cut at the longest length; nothing after the last one. */
  public Optional<String> next() throws IOException {
    if (!available()) return Optional.empty();
    var line = new StringBuilder();
    while (available()) {
      int begin = at;
      while (at < end && buffer[at] != '\n') at++;
      line.append(buffer, begin, Math.min(at - begin, longest - line.length()));
      if (at < end) {
        at++;
        break;
      }
    }
    if (!line.isEmpty() && line.charAt(line.length() - 1) == '\r') line.setLength(line.length() - 1);
    return Optional.of(line.toString());
  }

  private boolean available() throws IOException {
    if (at == end) {
      at = 0;
      end = Math.max(0, reader.read(buffer));
    }
    return end > 0;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
