package tilewright.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes files that are there whole or not at all: into a new file beside the target, which then takes its place. */
final class AtomicFile {
  /** What fills the file. */
  interface Content {
    void writeTo(FileChannel channel) throws IOException;
  }

  private AtomicFile() {}

  /** @throws CommandFailure naming the file and why it cannot be written; the target is then as it was */
  static void write(Path file, Content content) {
    requireWritable(file);
    var temporary = file.resolveSibling("." + file.getFileName() + "." + ProcessHandle.current().pid() + ".part");
    try {
      try (var channel = FileChannel.open(temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
          StandardOpenOption.WRITE)) {
        content.writeTo(channel);
        channel.force(true);
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw CommandFailure.badFile(file, "cannot be written: " + e.getMessage());
    } finally {
      deleteQuietly(temporary);
    }
  }

  /** Writes a text in UTF-8, like {@link #write(Path, Content)}. */
  static void write(Path file, String text) {
    write(file, channel -> writeFully(channel, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
  }

  /**
   * Checks early what can be checked, so that no long computation ends in a file that cannot be written.
   *
   * @throws CommandFailure naming the file and what is in the way
   */
  static void requireWritable(Path file) {
    if (Files.isDirectory(file)) throw CommandFailure.badFile(file, "is a folder; needed is the name of a file");
    var folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw CommandFailure.badFile(file, "its folder " + folder + " does not exist");
    }
    if (!Files.isWritable(folder)) throw CommandFailure.badFile(file, "its folder " + folder + " is not writable");
  }

  static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) channel.write(bytes);
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The reason why the write failed is what the user needs.
    }
  }
}
