package tilewright.cli.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.Predicate;

/** Makes folders that are there whole or not at all: in a new one beside the target, which then takes its place. */
public final class AtomicFolder {
  /** Fills the folder, which is empty. */
  public interface Content {
    void writeTo(Path folder) throws IOException;
  }

  private AtomicFolder() {}

  /**
   * Makes a folder anew, with the folders above it; where {@code folder} is a link, the folder that it leads to.
   *
   * @param replaceable whether a folder that is there and not empty may be deleted
   * @param kind what such a folder is, for messages: {@code a bundle}
   * @throws CommandFailure naming the folder and what is in the way; what was there is then as it was
   */
  public static void replace(Path folder, Predicate<Path> replaceable, String kind, Content content) {
    try {
      var target = Files.exists(folder) ? folder.toRealPath() : folder.toAbsolutePath().normalize();
      requireReplaceable(folder, target, replaceable, kind);
      if (target.getParent() == null) throw CommandFailure.badFile(folder, "is no name of a new folder");
      Files.createDirectories(target.getParent());
      var part = target.resolveSibling("." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
      try {
        delete(part);
        content.writeTo(Files.createDirectory(part));
        delete(target);
        Files.move(part, target);
      } finally {
        delete(part);
      }
    } catch (IOException e) {
      throw CommandFailure.badFile(folder, "cannot be made: " + InputFile.reason(e));
    }
  }

  private static void requireReplaceable(Path folder, Path target, Predicate<Path> replaceable, String kind)
      throws IOException {
    if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) return;
    if (Files.isDirectory(target) && (isEmpty(target) || replaceable.test(target))) return;
    throw CommandFailure.badFile(folder, "exists and is not " + kind + "; name another folder with --out");
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }

  /** Deletes a folder with all that is in it, but through no link. */
  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) return;
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
    }
  }
}
