package tilewright.verification.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packed files that would fill the memory when they are unpacked. */
class GoldenFilesTest {
  private static final int MEBIBYTE = 1 << 20;

  @TempDir
  Path folder;

  @Test
  void aFolderUnpacksToNoMoreThanItsLimit() throws IOException {
    pack("a", " ".repeat(99) + "\n", 10);
    pack("b", " ".repeat(99) + "\n", 20);
    assertEquals(0, GoldenFiles.read(folder, 3000).size());
    var e = assertThrows(MalformedGoldenException.class, () -> GoldenFiles.read(folder, 2999));
    assertEquals(folder.resolve("b.jsonl.gz") + ": cannot be read: the folder's files unpack to more than 2999 bytes",
        e.getMessage());
  }

  @Test
  void aLineUnpacksToNoMoreThanItsLimit() throws IOException {
    pack("a", "0".repeat(MEBIBYTE), 17);
    var e = assertThrows(MalformedGoldenException.class, () -> GoldenFiles.read(folder));
    assertTrue(e.getMessage().endsWith("a line has more than 16777216 bytes"), e.getMessage());
  }

  @Test
  void whatMayNotBeReadIsNamedWithTheReason() {
    var e = MalformedGoldenException.unreadable(folder, new AccessDeniedException("a/b"));
    assertEquals("a/b: cannot be read: permission denied", e.getMessage());
  }

  private void pack(String name, String text, int times) throws IOException {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    try (var out = new GZIPOutputStream(Files.newOutputStream(folder.resolve(name + ".jsonl.gz")))) {
      for (int i = 0; i < times; i++) out.write(bytes);
    }
  }
}
