package tilewright.docs.html;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkCheckTest {
  private static final Set<String> ELSEWHERE = Set.of("https://arxiv.org/abs/2205.14135", "https://github.com/x.js");

  @TempDir
  Path site;

  @Test
  void linksBetweenPagesAndToIdsResolve() throws IOException {
    page("a.html", "<a href=\"sub/b.html#here\">b</a> <a href=\"#top\">top</a> <p id=\"top\">");
    page("sub/b.html", "<h2 id=\"here\">b</h2> <a href=\"../a.html\">a</a>");
    assertEquals(List.of(), LinkCheck.faults(site, ELSEWHERE));
  }

  @Test
  void aMissingFileIsAFault() throws IOException {
    page("a.html", "<img src=\"images/x.svg\">");
    assertEquals(List.of("a.html: 'images/x.svg' names no file"), LinkCheck.faults(site, ELSEWHERE));
  }

  @Test
  void aMissingIdIsAFault() throws IOException {
    page("a.html", "<a href=\"#there\">x</a>");
    assertEquals(List.of("a.html: '#there' names no id in that page"), LinkCheck.faults(site, ELSEWHERE));
  }

  @Test
  void whatLeavesTheSiteIsAFault() throws IOException {
    page("a.html", "<script src=\"//cdn.example/x.js\"></script>");
    page("b.html", "<a href=\"https://example.org/\">x</a>");
    var faults = LinkCheck.faults(site, ELSEWHERE);
    assertEquals(2, faults.size());
    assertEquals("a.html: '//cdn.example/x.js' leaves the site and is not in external-links.txt", faults.getFirst());
    assertEquals("b.html: 'https://example.org/' leaves the site and is not in external-links.txt", faults.getLast());
  }

  @Test
  void furtherReadingMayLeaveTheSiteButNothingIsLoadedFromThere() throws IOException {
    page("a.html", "<a class=\"x\" href=\"https://arxiv.org/abs/2205.14135\">FlashAttention</a>");
    page("b.html", "<script src=\"https://github.com/x.js\"></script>");
    page("c.html", "<a href=\"http://arxiv.org/abs/2205.14135\">x</a> <a href=\"https://arxiv.org.example/\">x</a>");
    assertEquals(List.of("b.html: 'https://github.com/x.js' leaves the site and is not in external-links.txt",
        "c.html: 'http://arxiv.org/abs/2205.14135' leaves the site and is not in external-links.txt",
        "c.html: 'https://arxiv.org.example/' leaves the site and is not in external-links.txt"), LinkCheck.faults(site, ELSEWHERE));
  }

  @Test
  void theListHasAnAddressALine() throws IOException {
    var list = Files.writeString(site.resolve("links.txt"), "# comment\n\nhttps://a.example/x A title\n");
    assertEquals(Set.of("https://a.example/x"), LinkCheck.addresses(list));
  }

  private void page(String path, String html) throws IOException {
    var file = site.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, html);
  }
}
