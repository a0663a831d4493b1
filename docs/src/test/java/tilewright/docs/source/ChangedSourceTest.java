package tilewright.docs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangedSourceTest {
  @TempDir
  Path folder;

  @Test
  void theLastSuchLineIsChangedAndTheClassLoaded() throws Exception {
    var type = ChangedSource.load(source(), "\"one\"", "\"two\"", folder.resolve("out"));
    assertEquals("sample.changed.Sample", type.getName());
    assertEquals("one two", ((Supplier<?>) type.getConstructor().newInstance()).get());
  }

  @Test
  void whatCannotBeChangedOrCompiledBreaksTheSite() throws IOException {
    var source = source();
    var missing = assertThrows(BrokenSiteException.class, () -> ChangedSource.load(source, "three", "", folder));
    assertTrue(missing.getMessage().contains("has no 'three'"), missing.getMessage());
    var broken = assertThrows(BrokenSiteException.class,
        () -> ChangedSource.load(source, "\"one\"", "1", folder.resolve("out")));
    assertTrue(broken.getMessage().contains("incompatible types"), broken.getMessage());
  }

  private Path source() throws IOException {
    return Files.writeString(folder.resolve("Sample.java"), """
        package sample;

        public record Sample() implements java.util.function.Supplier<String> {
          @Override
          public String get() {
            String first = "one";
            String last = "one";
            return first + " " + last;
          }
        }
        """);
  }
}
