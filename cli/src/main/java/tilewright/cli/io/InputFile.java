package tilewright.cli.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Opens and reads the files that a user or another file names. Only regular files are read: opening a named pipe waits
 * for a writer that may never come, and a device may never end.
 */
public final class InputFile {
  /** The longest array that every JVM can allocate. */
  private static final long LARGEST_ARRAY = Integer.MAX_VALUE - 8;

  private InputFile() {}

  /**
   * Opens a regular file.
   *
   * @throws CommandFailure if it is missing, a folder, a pipe, a device, or may not be read
   */
  public static FileChannel open(Path file) {
    requireRegular(file);
    try {
      return FileChannel.open(file, StandardOpenOption.READ);
    } catch (IOException e) {
      throw CommandFailure.badFile(file, "cannot be read: " + reason(e));
    }
  }

  /** @throws CommandFailure like {@link #open}, or if the file is larger than memory allows */
  public static byte[] bytes(Path file) {
    return bytes(file, LARGEST_ARRAY);
  }

  /**
   * Reads a file of at most {@code most} bytes.
   *
   * @throws CommandFailure like {@link #open}, or if the file is larger
   */
  public static byte[] bytes(Path file, long most) {
    try (var channel = open(file)) {
      long size = channel.size();
      if (size > most) throw CommandFailure.badFile(file, "has " + size + " bytes; needed are at most " + most);
      // Files of /proc say that they have no bytes; what they hold is read all the same by no command here.
      var content = ByteBuffer.allocate((int) size);
      while (content.hasRemaining() && channel.read(content) >= 0) {}
      if (content.hasRemaining()) throw CommandFailure.badFile(file, "became shorter while it was read");
      return content.array();
    } catch (IOException e) {
      throw CommandFailure.badFile(file, "cannot be read: " + reason(e));
    } catch (OutOfMemoryError _) {
      throw CommandFailure.environmentLacks(file + ": is larger than the memory that Java may take ("
          + (Runtime.getRuntime().maxMemory() >> 20) + " MiB)");
    }
  }

  /** A whole file in UTF-8; malformed bytes become U+FFFD. */
  public static String text(Path file) {
    return new String(bytes(file), StandardCharsets.UTF_8);
  }

  /** @throws CommandFailure if the name is one that no file can have */
  public static Path named(String name) {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw CommandFailure.badInput("no file can be called '" + name + "': " + e.getReason());
    }
  }

  /** The reason that an exception of the file system gives, where its message is only the file's name. */
  public static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file";
      case AccessDeniedException _ -> "permission denied";
      case NotDirectoryException _ -> "is not a folder";
      default -> String.valueOf(e.getMessage());
    };
  }

  private static void requireRegular(Path file) {
    if (!Files.isRegularFile(file)) throw notRegular(file);
  }

  /** The reason why there is no regular file of this name. */
  public static CommandFailure notRegular(Path file) {
    if (Files.isDirectory(file)) return CommandFailure.badFile(file, "is a folder; needed is a file");
    if (Files.exists(file)) {
      return CommandFailure.badFile(file, "is a pipe or a device; needed is a regular file: write it to one first");
    }
    return CommandFailure.badFile(file, hidden(file) ? "cannot be read: permission denied" : "no such file");
  }

  /** Whether a folder on the way may not be searched, so that nobody knows what is in it. */
  private static boolean hidden(Path file) {
    var parent = file.toAbsolutePath().getParent();
    return Files.notExists(file) == Files.exists(file) || parent != null && Files.isDirectory(parent)
        && !Files.isExecutable(parent);
  }
}
