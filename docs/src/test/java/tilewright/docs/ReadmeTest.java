package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tilewright.docs.source.Excerpt;

/** What the repository's first pages show is what is there. */
class ReadmeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)\\)|src=\"([^\":]+)\"");

  @Test
  void theKernelInTheReadmeIsTheNaiveGemm() throws IOException {
    var source = ROOT.resolve("gpu-kernels/src/main/java/tilewright/kernels/NaiveGemm.java");
    var readme = Files.readString(ROOT.resolve("README.md"));
    assertTrue(readme.contains("```java\n" + Excerpt.method(source, "void trace(Scope k)") + "```"),
        "copy NaiveGemm.trace into README.md");
  }

  @Test
  void thePictureInTheReadmeIsTheOneThatTheSiteShows() throws IOException {
    assertEquals(Files.readString(ROOT.resolve("docs/target/site/images/flow.svg")),
        Files.readString(ROOT.resolve("docs/src/site/images/flow.svg")),
        "copy docs/target/site/images/flow.svg to docs/src/site/images");
  }

  @Test
  void theRowsInTheReadmeAreTheRecordedRuns() throws IOException {
    var readme = Files.readString(ROOT.resolve("README.md"));
    var table = Pattern.compile("(?s)<!-- verify-table -->.*?```\n(.*?)```\n<!-- /verify-table -->").matcher(readme);
    assertTrue(table.find(), "README.md has no verify-table");
    var recorded = Files.readString(ROOT.resolve("docs/recorded/verify-h200.txt")).lines().map(ReadmeTest::words).toList();
    var rows = table.group(1).lines().map(ReadmeTest::words).filter(row -> !row.equals("…")).toList();
    assertTrue(rows.size() > 9, table.group(1));
    for (var row : rows) assertTrue(recorded.contains(row), row);
  }

  private static String words(String line) {
    return line.strip().replaceAll(" +", " ");
  }

  @Test
  void linksLeadToFilesOfTheRepository() throws IOException {
    for (var page : List.of("README.md", "CONTRIBUTING.md")) {
      for (var link : LINK.matcher(Files.readString(ROOT.resolve(page))).results().toList()) {
        var target = link.group(1) == null ? link.group(2) : link.group(1);
        assertTrue(Files.exists(ROOT.resolve(target)), page + " links to " + target);
      }
    }
  }

  @Test
  void theGuideNamesEveryModule() throws IOException {
    var guide = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    var pom = Files.readString(ROOT.resolve("pom.xml"));
    var modules = Pattern.compile("<module>(.*)</module>").matcher(pom).results().toList();
    assertTrue(modules.size() >= 9);
    for (var module : modules) assertTrue(guide.contains("`" + module.group(1) + "`"), module.group(1));
  }
}
