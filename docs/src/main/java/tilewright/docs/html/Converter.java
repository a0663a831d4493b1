package tilewright.docs.html;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import org.asciidoctor.Asciidoctor;
import org.asciidoctor.Attributes;
import org.asciidoctor.Options;
import org.asciidoctor.SafeMode;
import org.asciidoctor.ast.Document;
import org.asciidoctor.ast.Section;
import org.asciidoctor.ast.StructuralNode;
import org.asciidoctor.log.LogRecord;
import org.asciidoctor.log.Severity;

/** Turns AsciiDoc into HTML and keeps every complaint. */
public final class Converter implements AutoCloseable {
  /** Asciidoctor's own logger, which would repeat on the console what becomes a fault here. */
  private static final Logger LOGGER = Logger.getLogger("asciidoctor");

  private final Asciidoctor asciidoctor = Asciidoctor.Factory.create();
  private final List<String> faults = new ArrayList<>();
  private final Path root;
  private final Path generated;
  private String converting = "";

  /**
   * @param root the repository: {@code {root}} in pages
   * @param generated what the build wrote for pages to include: {@code {generated}}
   * @param images the folder of the pages' pictures, for those that commands on a page draw
   */
  public Converter(Path root, Path generated, Path images) {
    this.root = root;
    this.generated = generated;
    LOGGER.setUseParentHandlers(false);
    asciidoctor.registerLogHandler(this::log);
    asciidoctor.javaExtensionRegistry().includeProcessor(new CommandInclude(root, images, faults));
  }

  public Page convert(Path source, String path) {
    converting = source.getFileName().toString();
    var attributes = Attributes.builder()
        .attribute("root", root.toString())
        .attribute("generated", generated.toString())
        .attribute("imagesdir", "../".repeat((int) path.chars().filter(c -> c == '/').count()) + "images")
        .attribute("source-highlighter", "rouge")
        .attribute("sectanchors", "")
        .attribute("idprefix", "")
        .attribute("idseparator", "-")
        .attribute("attribute-missing", "warn")
        .attribute("experimental", "")
        .attribute("reproducible", "")
        .build();
    var options = Options.builder().safe(SafeMode.UNSAFE).standalone(false).attributes(attributes).build();
    Document document = asciidoctor.loadFile(source.toFile(), options);
    // A link without text needs a name for readers of the screen.
    var body = inBoxes(document.convert()).replaceAll("<a class=\"anchor\" href=\"([^\"]*)\"></a>",
        "<a class=\"anchor\" href=\"$1\" aria-label=\"Link to this section\"></a>");
    var title = document.getDoctitle();
    return new Page(path, title, (String) document.getAttribute("navtitle", title), headings(document), body);
  }

  /** Puts every table into a box in which it scrolls, so that it never widens the page. */
  private static String inBoxes(String html) {
    return html.replace("<table class=\"tableblock", "<div class=\"scroll\">\n<table class=\"tableblock")
        .replaceAll("(?s)(<div class=\"scroll\">\n<table.*?</table>)", "$1\n</div>");
  }

  /** Complaints of all conversions so far, each with its file, and its line where that is known. */
  public List<String> faults() {
    return List.copyOf(faults);
  }

  private static List<Page.Heading> headings(StructuralNode document) {
    return document.getBlocks().stream().filter(Section.class::isInstance).map(Section.class::cast)
        .map(s -> new Page.Heading(s.getId(), s.getTitle(), Html.text(String.valueOf(s.getContent())))).toList();
  }

  private void log(LogRecord record) {
    // An unresolved reference within a page is only information to Asciidoctor; to a reader it is a dead link.
    if (record.getSeverity() == Severity.DEBUG) return;
    var cursor = record.getCursor();
    var place = cursor == null ? converting + ": " : cursor.getFile() + ":" + cursor.getLineNumber() + ": ";
    faults.add(place + record.getMessage());
  }

  @Override
  public void close() {
    asciidoctor.close();
  }
}
