package tilewright.docs.html;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.asciidoctor.ast.Document;
import org.asciidoctor.extension.IncludeProcessor;
import org.asciidoctor.extension.PreprocessorReader;
import tilewright.docs.source.BrokenSiteException;
import tilewright.docs.source.Command;
import tilewright.docs.source.LongLines;

/**
 * Includes the transcript of a command that runs while the page is built, so that no page shows an output that the
 * command no longer prints: {@code include::command[run="layout eval '(4,2)'"]}. {@code exit} is the exit code that is
 * expected (0), {@code lines} the number of lines after which the output is cut.
 */
final class CommandInclude extends IncludeProcessor {
  private static final String TARGET = "command";

  private final Path root;
  private final Path images;
  private final List<String> faults;

  /**
   * @param images takes the files that commands write with {@code --out}
   * @param faults takes what goes wrong; an exception would lose its text on the way through Asciidoctor
   */
  CommandInclude(Path root, Path images, List<String> faults) {
    this.root = root;
    this.images = images;
    this.faults = faults;
  }

  @Override
  public boolean handles(String target) {
    return target.equals(TARGET);
  }

  @Override
  public void process(Document document, PreprocessorReader reader, String target, Map<String, Object> attributes) {
    int exit = Integer.parseInt((String) attributes.getOrDefault("exit", "0"));
    int lines = Integer.parseInt((String) attributes.getOrDefault("lines", String.valueOf(Integer.MAX_VALUE)));
    try {
      var transcript = Command.typed(root, images, (String) attributes.get("run"), exit);
      reader.pushInclude(LongLines.wrapped(shortened(transcript, lines)), target, target, 1, attributes);
    } catch (BrokenSiteException e) {
      faults.add(e.getMessage());
    }
  }

  private static String shortened(String transcript, int lines) {
    var all = transcript.lines().toList();
    return all.size() <= lines ? transcript : String.join("\n", all.subList(0, lines)) + "\n…\n";
  }
}
