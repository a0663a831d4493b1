package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkCheckTest {
  @TempDir
  Path site;

  @Test
  void linksBetweenPagesAndToIdsResolve() throws IOException {
    page("a.html", "<a href=\"sub/b.html#here\">b</a> <a href=\"#top\">top</a> <p id=\"top\">");
    page("sub/b.html", "<h2 id=\"here\">b</h2> <a href=\"../a.html\">a</a>");
    assertEquals(List.of(), LinkCheck.faults(site));
  }

  @Test
  void aMissingFileIsAFault() throws IOException {
    page("a.html", "<img src=\"images/x.svg\">");
    assertEquals(List.of("a.html: 'images/x.svg' names no file"), LinkCheck.faults(site));
  }

  @Test
  void aMissingIdIsAFault() throws IOException {
    page("a.html", "<a href=\"#there\">x</a>");
    assertEquals(List.of("a.html: '#there' names no id in that page"), LinkCheck.faults(site));
  }

  @Test
  void whatLeavesTheSiteIsAFault() throws IOException {
    page("a.html", "<script src=\"//cdn.example/x.js\"></script>");
    page("b.html", "<a href=\"https://example.org/\">x</a>");
    var faults = LinkCheck.faults(site);
    assertEquals(2, faults.size());
    assertEquals("a.html: '//cdn.example/x.js' leaves the site", faults.getFirst());
    assertEquals("b.html: 'https://example.org/' leaves the site", faults.getLast());
  }

  private void page(String path, String html) throws IOException {
    var file = site.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, html);
  }
}
