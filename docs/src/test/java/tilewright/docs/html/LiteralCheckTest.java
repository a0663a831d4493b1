package tilewright.docs.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiteralCheckTest {
  @TempDir
  Path folder;

  @Test
  void aLiteralThatLosesItsUnderscoresIsAFault() throws IOException {
    var faults = faults("A slice is `(_,(1,_))` there.");
    assertEquals(1, faults.size(), faults.toString());
    assertTrue(faults.getFirst().startsWith("page.html: AsciiDoc changed the literal '(,(1,))'"), faults.toString());
    assertTrue(faults("Arrows are `a -> b` there.").getFirst().contains("'a → b'"));
  }

  @Test
  void aPowerWithSpacesIsAFault() throws IOException {
    assertEquals(2, faults("It is 2^(old − new)^ here.").size());
  }

  @Test
  void literalsThatPassThroughAndListingsAreNone() throws IOException {
    assertEquals(List.of(), faults("""
        A slice is `+(_,(1,_))+`, 2^31^ of `long_names_here`, in C++, and _emphasis_ with `code`.

        ----
        a ^ b -> (_,(1,_))
        ----
        """));
  }

  @Test
  void resultsOfASearchHaveNoReferencesToCharacters() throws IOException {
    var page = convert("It's `a<b` & so -> on -- \"x\" &rarr;.");
    assertEquals(List.of("page.html: the search index cannot say [&rarr;]"), SearchIndex.faults(List.of(page)));
    var script = SearchIndex.script(List.of(convert("It's `a<b` & so -> on.")));
    assertTrue(script.contains("It’s a<b & so → on."), script);
  }

  private List<String> faults(String text) throws IOException {
    return LiteralCheck.faults(convert(text));
  }

  private Page convert(String text) throws IOException {
    try (var converter = new Converter(folder, folder, folder)) {
      return converter.convert(Files.writeString(folder.resolve("page.adoc"), "= T\n\n" + text + "\n"), "page.html");
    }
  }
}
