package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tilewright.docs.blackwell.BlackwellAttentionPage;
import tilewright.docs.blackwell.BlackwellPages;
import tilewright.docs.chart.Charts;
import tilewright.docs.html.Converter;
import tilewright.docs.html.LinkCheck;
import tilewright.docs.html.LiteralCheck;
import tilewright.docs.html.Page;
import tilewright.docs.html.SearchIndex;
import tilewright.docs.html.Template;
import tilewright.docs.record.AttentionErrors;
import tilewright.docs.record.BitEquality;
import tilewright.docs.record.BudgetPage;
import tilewright.docs.record.ChipLimits;
import tilewright.docs.record.ChipRuns;
import tilewright.docs.record.Counters;
import tilewright.docs.record.CudaSamples;
import tilewright.docs.record.Decisions;
import tilewright.docs.record.Golden;
import tilewright.docs.record.LadderFigures;
import tilewright.docs.record.Proofs;
import tilewright.docs.record.Records;
import tilewright.docs.record.RuntimeFigures;
import tilewright.docs.record.SeveralGpus;
import tilewright.docs.record.SimulatorSpeed;
import tilewright.docs.record.Witnesses;
import tilewright.docs.source.BrokenSiteException;

/** The documentation site: {@code Site REPOSITORY OUTPUT} builds it. */
public final class Site {
  private Site() {}

  /** Builds the site, or says on standard error what is wrong and exits with 1. */
  public static void main(String[] arguments) throws IOException {
    try {
      build(Path.of(arguments[0]).toRealPath(), Path.of(arguments[1]).toAbsolutePath());
      // JRuby and the command leave threads behind.
      System.exit(0);
    } catch (BrokenSiteException e) {
      System.err.println("the documentation is broken:\n" + e.getMessage());
      System.exit(1);
    }
  }

  /**
   * Writes the whole site into an empty or missing folder.
   *
   * @throws BrokenSiteException if AsciiDoc complains, a listing or figure cannot be made, or a link leads nowhere
   */
  static void build(Path root, Path output) throws IOException {
    delete(output);
    var generated = output.resolveSibling("generated");
    delete(generated);
    var images = Files.createDirectories(output.resolve("images"));
    Figures.write(images);
    Listings.write(root, Files.createDirectories(generated));
    BlackwellPages.write(root, generated, images);
    BlackwellAttentionPage.write(root, generated, images);
    LearnPages.write(root, generated);
    BudgetPage.write(root.resolve("docs"), generated);
    HelpPages.write(generated);
    CataloguePage.write(root, generated, images);
    LearnNotesPage.write(generated);
    MemoryFigures.write(root.resolve("docs"), generated);
    Expressions.write(root.resolve("docs"), generated);
    LayoutOperations.write(generated, images);
    Golden.write(root, generated);
    Charts.write(root.resolve("docs"), generated);
    Records.write(root.resolve("docs"), generated);
    Proofs.write(root.resolve("docs"), generated);
    SimulatorSpeed.write(root.resolve("docs"), generated);
    SeveralGpus.write(root.resolve("docs"), generated);
    BitEquality.write(root.resolve("docs"), generated);
    ChipLimits.write(generated);
    ChipRuns.write(root.resolve("docs"), generated);
    CudaSamples.write(root.resolve("docs"), generated);
    LadderFigures.write(root.resolve("docs"), generated);
    Counters.write(root.resolve("docs"), generated);
    RuntimeFigures.write(root.resolve("docs"), generated);
    AttentionErrors.write(root.resolve("docs"), generated);
    Witnesses.write(root, generated);
    var decisions = Decisions.read(root.resolve("docs/decisions"));
    Files.writeString(generated.resolve("decisions.adoc"), Decisions.list(decisions));

    var pages = convert(root.resolve("docs"), generated, images, decisions);
    var template = new Template(Contents.navigation(pages));
    for (var page : pages) {
      var file = output.resolve(page.path());
      Files.createDirectories(file.getParent());
      Files.writeString(file, template.render(page));
    }
    for (var resource : List.of("site.css", "page.js", "search.js", "playground.css")) copy(resource, output);
    Files.writeString(output.resolve("search-index.js"), SearchIndex.script(pages));
    PlaygroundScript.write(output);
    ApiPages.write(root, output);
    var elsewhere = LinkCheck.addresses(root.resolve("docs/src/site/external-links.txt"));
    var faults = new ArrayList<>(LinkCheck.faults(output, elsewhere));
    faults.addAll(SearchIndex.faults(pages));
    pages.forEach(page -> faults.addAll(LiteralCheck.faults(page)));
    if (!faults.isEmpty()) throw new BrokenSiteException(faults);
  }

  private static List<Page> convert(Path docs, Path generated, Path images, List<Decisions.Decision> decisions)
      throws IOException {
    try (var converter = new Converter(docs.getParent(), generated, images)) {
      var pages = new ArrayList<Page>();
      for (var name : Contents.names()) pages.add(converter.convert(docs.resolve("src/site/" + name + ".adoc"), name + ".html"));
      for (var decision : decisions) {
        var path = "decisions/" + decision.name();
        pages.add(converter.convert(docs.resolve(path + ".adoc"), path + ".html"));
      }
      try (var kernels = Files.list(generated.resolve("catalogue"))) {
        for (var kernel : kernels.sorted().toList()) {
          pages.add(converter.convert(kernel, "catalogue/" + kernel.getFileName().toString().replace(".adoc", ".html")));
        }
      }
      if (!converter.faults().isEmpty()) throw new BrokenSiteException(converter.faults());
      return pages;
    }
  }

  private static void copy(String resource, Path output) throws IOException {
    try (var in = Site.class.getResourceAsStream(resource)) {
      Files.write(output.resolve(resource), in.readAllBytes());
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) return;
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
    }
  }
}
