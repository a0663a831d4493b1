package tilewright.device.cubin;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that other processes see whole or not at all. */
public final class AtomicFiles {
  private AtomicFiles() {}

  /** @throws IOException also where a device, a pipe or a folder has the name, which nothing takes the place of */
  public static void write(Path target, byte[] bytes) throws IOException {
    if (Files.exists(target) && !Files.isRegularFile(target)) throw new IOException(target + " is no regular file");
    var folder = target.toAbsolutePath().getParent();
    Files.createDirectories(folder);
    var part = Files.createTempFile(folder, target.getFileName().toString(), ".part");
    try {
      Files.write(part, bytes);
      moveOver(part, target);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static void moveOver(Path part, Path target) throws IOException {
    try {
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException _) {
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
