package tilewright.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.io.AtomicFolder;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Exit;

/** A folder such as a bundle takes the place of the previous one, of nothing else, and only when it is complete. */
class AtomicFolderTest {
  @TempDir
  Path parent;

  @Test
  void theFolderOfBeforeStaysUntilTheNextIsComplete() throws IOException {
    var folder = bundle("a/b/bundle");
    var failure = assertThrows(CommandFailure.class, () -> make(folder, part -> {
      Files.writeString(part.resolve("tilewright"), "half");
      assertEquals("old", Files.readString(folder.resolve("tilewright")));
      throw new IOException("disk full");
    }));
    assertEquals(folder + ": cannot be made: disk full", failure.getMessage());
    assertEquals("old", Files.readString(folder.resolve("tilewright")));
    make(folder, part -> Files.writeString(part.resolve("tilewright"), "new"));
    assertEquals("new", Files.readString(folder.resolve("tilewright")));
    assertEquals(List.of(folder, folder.resolve("tilewright")), below(parent.resolve("a/b")));
  }

  @Test
  void nothingElseIsReplaced() throws IOException {
    var jdk = Files.createDirectories(parent.resolve("jdk"));
    Files.writeString(jdk.resolve("precious"), "");
    var file = Files.writeString(parent.resolve("file"), "");
    var dangling = Files.createSymbolicLink(parent.resolve("link"), parent.resolve("none"));
    var before = below(parent);
    for (var target : List.of(jdk, file, dangling, Path.of("/dev/null"), Path.of("/"))) {
      var failure = assertThrows(CommandFailure.class, () -> make(target, _ -> {}), target.toString());
      assertEquals(Exit.BAD_INPUT, failure.exitCode());
      assertTrue(failure.getMessage().contains("exists and is not a bundle"), failure.getMessage());
    }
    assertEquals(before, below(parent));
  }

  @Test
  void aLinkLeadsToTheFolderThatIsReplaced() throws IOException {
    var folder = bundle("bundle");
    var link = Files.createSymbolicLink(parent.resolve("link"), folder);
    make(link, part -> Files.writeString(part.resolve("tilewright"), "new"));
    assertTrue(Files.isSymbolicLink(link));
    assertEquals("new", Files.readString(folder.resolve("tilewright")));
  }

  private static void make(Path folder, AtomicFolder.Content content) {
    AtomicFolder.replace(folder, BundleCommand::isBundle, "a bundle", content);
  }

  private Path bundle(String name) throws IOException {
    var folder = parent.resolve(name);
    Files.createDirectories(folder.resolve("runtime"));
    Files.writeString(folder.resolve("runtime/release"), "");
    return Files.writeString(folder.resolve("tilewright"), "old").getParent();
  }

  private static List<Path> below(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(f -> !f.equals(folder)).sorted().toList();
    }
  }
}
