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
    try (var converter = new Converter(folder, folder, folder)) {
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
    try (var converter = new Converter(folder, folder, folder)) {
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

  @Test
  void aCommandRunsWhileItsPageIsBuilt() throws IOException {
    try (var converter = new Converter(folder, folder, folder)) {
      var page = converter.convert(source("""
          = T

          ----
          include::command[run="layout eval 'size((4,2))'"]
          ----
          """), "page.html");
      assertTrue(page.body().contains("$ ./tilewright layout eval 'size((4,2))'\n8"), page.body());
      assertEquals(List.of(), converter.faults());
    }
  }

  @Test
  void aPictureThatACommandDrawsIsWrittenBesideTheOthers() throws IOException {
    try (var converter = new Converter(folder, folder, folder)) {
      var page = converter.convert(source("""
          = T

          ----
          include::command[run="layout draw '(4,2)' --out drawn.svg"]
          ----
          """), "page.html");
      assertEquals(List.of(), converter.faults());
      assertTrue(page.body().contains("\ndrawn.svg: "), page.body());
      assertTrue(Files.readString(folder.resolve("drawn.svg")).contains("<svg"));
    }
  }

  @Test
  void aCommandThatFailsOnAPageIsAFault() throws IOException {
    try (var converter = new Converter(folder, folder, folder)) {
      converter.convert(source("= T\n\n----\ninclude::command[run=\"layout eval 'size('\"]\n----\n"), "page.html");
      converter.convert(source("= T\n\n----\ninclude::command[run=\"layout eval '4\"]\n----\n"), "page.html");
      assertEquals(2, converter.faults().size(), converter.faults().toString());
      assertTrue(converter.faults().getFirst().contains("size("), converter.faults().toString());
      assertTrue(converter.faults().getLast().contains("quote"), converter.faults().toString());
    }
  }

  private Path source(String text) throws IOException {
    return Files.writeString(folder.resolve("page.adoc"), text);
  }
}
