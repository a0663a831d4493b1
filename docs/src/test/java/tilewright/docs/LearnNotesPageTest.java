package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.verification.rows.LearnNotes;

class LearnNotesPageTest {
  @TempDir
  Path folder;

  @Test
  void everyRowIsListedWithItsCommandOrTheReasonWhyThereIsNone() throws IOException {
    LearnNotesPage.write(folder);
    var page = Files.readString(folder.resolve("learn-notes.adoc"));
    for (var row : LearnNotes.rows()) assertTrue(page.contains("|`pass:c[" + row.name() + "]` |"), row.name());
    assertTrue(page.contains("`pass:c[verify histogram --set vec=4]`"), page);
    assertTrue(page.contains("none: unfinished there too"), page);
  }
}
