package tilewright.cli.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes files that are there whole or not at all: into a new file beside the target, which then takes its place. */
public final class AtomicFile {
  /** Writes the content of the file. */
  public interface Content {
    void writeTo(FileChannel channel) throws IOException;
  }

  private AtomicFile() {}

  /**
   * Writes a file anew; where {@code file} is a link, the file that it leads to.
   *
   * @throws CommandFailure naming the file and why it cannot be written; the target is then as it was
   */
  public static void write(Path file, Content content) {
    requireWritable(file);
    replace(target(file), content);
  }

  /**
   * Writes a file whose name another file gave, like {@link #write(Path, Content)}, but through no link.
   *
   * @throws CommandFailure also if {@code file} is a link
   */
  public static void writeDerived(Path file, Content content) {
    if (Files.isSymbolicLink(file)) {
      throw CommandFailure.badFile(file, "is a link, which is not followed here; delete it or name another folder");
    }
    requireWritable(file);
    replace(file, content);
  }

  private static void replace(Path file, Content content) {
    var temporary = file.resolveSibling("." + file.getFileName() + "." + ProcessHandle.current().pid() + ".part");
    try {
      // A new file: what lies there of a process with the same number may be a link that somebody has put there.
      Files.deleteIfExists(temporary);
      try (var channel = FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        content.writeTo(channel);
        channel.force(true);
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw CommandFailure.badFile(file, "cannot be written: " + InputFile.reason(e));
    } finally {
      deleteQuietly(temporary);
    }
  }

  /** Writes a text in UTF-8, like {@link #write(Path, Content)}. */
  public static void write(Path file, String text) {
    write(file, channel -> writeFully(channel, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
  }

  /**
   * Checks early what can be checked, so that no long computation ends in a file that cannot be written.
   *
   * @throws CommandFailure naming the file and what is in the way
   */
  public static void requireWritable(Path file) {
    if (file.getFileName() == null || file.getFileName().toString().isEmpty()) {
      throw CommandFailure.badInput("'" + file + "' is no name of a file");
    }
    if (Files.isDirectory(file)) throw CommandFailure.badFile(file, "is a folder; needed is the name of a file");
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw CommandFailure.badFile(file, "is a pipe or a device; needed is a regular file or a new name");
    }
    if (Files.exists(file) && !Files.isWritable(file)) throw CommandFailure.badFile(file, "is not writable");
    if (Files.isSymbolicLink(file) && !Files.exists(file)) {
      throw CommandFailure.badFile(file, "is a link to a file that does not exist");
    }
    requireWritableFolder(target(file), file);
  }

  private static void requireWritableFolder(Path target, Path file) {
    var folder = target.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw CommandFailure.badFile(file, "its folder " + folder + " does not exist");
    }
    if (!Files.isWritable(folder)) throw CommandFailure.badFile(file, "its folder " + folder + " is not writable");
  }

  /** The file itself, or the one that a link leads to. */
  private static Path target(Path file) {
    try {
      return Files.isSymbolicLink(file) ? file.toRealPath() : file;
    } catch (IOException e) {
      throw CommandFailure.badFile(file, "is a link that cannot be followed: " + InputFile.reason(e));
    }
  }

  public static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
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
