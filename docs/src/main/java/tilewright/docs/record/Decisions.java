package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tilewright.docs.source.BrokenSiteException;

/** The recorded decisions, one file each. */
public final class Decisions {
  private Decisions() {}

  /** @param name the file's name without its ending */
  public record Decision(String name, String title) {}

  public static List<Decision> read(Path folder) throws IOException {
    var decisions = new ArrayList<Decision>();
    try (var files = Files.list(folder)) {
      for (var file : files.filter(f -> f.toString().endsWith(".adoc")).sorted().toList()) {
        var title = Files.readAllLines(file).getFirst();
        if (!title.startsWith("= ")) throw new BrokenSiteException(List.of(file + ": the first line is no title"));
        decisions.add(new Decision(file.getFileName().toString().replace(".adoc", ""), title.substring(2)));
      }
    }
    return decisions;
  }

  /** An AsciiDoc list with a link to each. */
  public static String list(List<Decision> decisions) {
    var list = new StringBuilder();
    for (var decision : decisions) {
      list.append("* xref:decisions/%s.adoc[%s]%n".formatted(decision.name(), decision.title()));
    }
    return list.toString();
  }
}
