package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import tilewright.docs.html.Html;
import tilewright.docs.html.LinkCheck;

/** The site that the build made before the tests. */
class SiteTest {
  private static final Path DOCS = Path.of("").toAbsolutePath();
  private static final Path SITE = DOCS.resolve("target/site");

  @Test
  void everyAsciiDocFileHasItsPage() throws IOException {
    var expected = new TreeSet<String>();
    for (var folder : List.of("src/site", "decisions")) {
      try (var files = Files.list(DOCS.resolve(folder))) {
        files.filter(f -> f.toString().endsWith(".adoc")).map(f -> f.getFileName().toString().replace(".adoc", ".html"))
            .map(name -> folder.equals("decisions") ? "decisions/" + name : name).forEach(expected::add);
      }
    }
    var pages = LinkCheck.pages(SITE).stream().map(page -> SITE.relativize(page).toString())
        .filter(page -> !page.startsWith("catalogue/"))
        .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(expected, pages);
  }

  @Test
  void everyLinkAndImageResolvesWithinTheSite() throws IOException {
    assertEquals(List.of(), LinkCheck.faults(SITE, LinkCheck.addresses(DOCS.resolve("src/site/external-links.txt"))));
    var start = Html.references(Files.readString(SITE.resolve("index.html")));
    assertTrue(start.containsAll(List.of("site.css", "images/flow.svg", "gemm-to-gpu.html")), start.toString());
  }

  @Test
  void pagesAndTheirStyleLoadNothingFromElsewhere() throws IOException {
    for (var page : LinkCheck.pages(SITE)) {
      // A link loads nothing until a reader follows it; everyLinkAndImageResolvesWithinTheSite says where it may lead.
      var loading = Files.readString(page).replaceAll("<a\\s[^>]*>", "<a>");
      assertFalse(loading.matches("(?s).*<[^>]*://[^>]*>.*"), page.toString());
    }
    assertFalse(Files.readString(SITE.resolve("site.css")).contains("url("));
  }

  @Test
  void figuresAreDrawings() throws Exception {
    var drawn = new HashSet<Path>();
    for (var page : LinkCheck.pages(SITE)) {
      for (var reference : Html.references(Files.readString(page))) {
        if (!reference.endsWith(".svg")) continue;
        var file = page.resolveSibling(reference).toFile();
        var svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file);
        assertEquals("svg", svg.getDocumentElement().getNodeName());
        int marks = svg.getElementsByTagName("rect").getLength() + svg.getElementsByTagName("path").getLength();
        assertTrue(marks > 5, reference);
        assertTrue(svg.getElementsByTagName("text").getLength() > 5, reference);
        drawn.add(file.toPath().toRealPath());
      }
    }
    try (var images = Files.list(SITE.resolve("images").toRealPath())) {
      assertEquals(images.filter(i -> i.toString().endsWith(".svg")).collect(Collectors.toSet()), drawn);
    }
  }

  @Test
  void thePageOnMorphismsShowsEachStepAsItIsWritten() throws IOException {
    var page = Html.text(Files.readString(SITE.resolve("morphisms.html")));
    for (var step : MorphismExample.steps()) {
      assertTrue(page.contains(step.what()), step.what());
      assertTrue(page.contains(step.morphism().toString()), step.morphism().toString());
      assertTrue(page.contains(step.morphism().layout().toString()), step.morphism().layout().toString());
    }
  }

  @Test
  void listingsHoldTheKernelItsPtxAndTheCommandsHelp() throws IOException {
    var page = Html.text(Files.readString(SITE.resolve("gemm-to-gpu.html")));
    for (var part : List.of("record NaiveGemm", "fma.rn.f32", ".visible .entry naive_gemm_bf16",
        "mma.sync.aligned.m16n8k16", "MultistageMainloop", "32 wavefronts, 4 without conflicts")) {
      assertTrue(page.contains(part), part);
    }
    assertTrue(Html.text(Files.readString(SITE.resolve("command-line.html"))).contains("Usage: tilewright verify"));
  }
}
