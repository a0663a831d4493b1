package tilewright.docs.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConverterTest {
  @TempDir
  Path folder;

  @Test
  void aPageKnowsItsTitleAndSections() throws IOException {
    try (var converter = new Converter(folder, folder)) {
      var page = converter.convert(source("= Title\n\n== First part\n\nSome *bold* text.\n"), "sub/page.html");
      assertEquals("Title", page.title());
      assertEquals("Title", page.shortTitle());
      assertEquals(List.of(new Page.Heading("first-part", "First part", "Some bold text.")), page.headings());
      assertEquals("../", page.toRoot());
      assertEquals(List.of(), converter.faults());
    }
  }

  @Test
  void whatAsciidoctorCannotResolveIsAFault() throws IOException {
    try (var converter = new Converter(folder, folder)) {
      converter.convert(source("= T\n\ninclude::missing.txt[]\n"), "page.html");
      converter.convert(source("= T\n\n<<nowhere>>\n"), "page.html");
      converter.convert(source("= T\n\n{nothing}\n"), "page.html");
      converter.convert(source("= T\n\n----\nnever closed\n"), "page.html");
      var faults = converter.faults();
      assertEquals(4, faults.size(), faults.toString());
      for (int i = 0; i < 4; i++) {
        var word = List.of("missing.txt", "nowhere", "nothing", "unterminated").get(i);
        assertTrue(faults.get(i).contains(word) && faults.get(i).contains("page.adoc"), faults.get(i));
      }
    }
  }

  private Path source(String text) throws IOException {
    return Files.writeString(folder.resolve("page.adoc"), text);
  }
}
