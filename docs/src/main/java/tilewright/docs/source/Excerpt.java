package tilewright.docs.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Parts of sources, found by what they say, so that a page cannot show what no longer is. */
public final class Excerpt {
  private Excerpt() {}

  /** The method whose first line contains {@code signature}, with its annotations, moved to the left edge. */
  public static String method(Path source, String signature) throws IOException {
    var lines = Files.readAllLines(source);
    int first = firstLineWith(lines, signature, source);
    int indent = indent(lines.get(first));
    int last = first;
    while (!lines.get(last).equals(" ".repeat(indent) + "}")) {
      if (++last == lines.size()) {
        throw new BrokenSiteException(List.of(source + ": '" + signature + "' begins no method"));
      }
    }
    while (lines.get(first - 1).strip().startsWith("@")) first--;
    return lines.subList(first, last + 1).stream().map(line -> line.isBlank() ? "" : line.substring(indent))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /** The loop of PTX with the most instructions: from its label to the branch back, without line directives. */
  public static String mainLoop(String ptx) {
    var lines = ptx.lines().filter(line -> !line.strip().startsWith(".loc")).toList();
    var best = List.<String>of();
    for (int begin = 0; begin < lines.size(); begin++) {
      if (!lines.get(begin).strip().matches("\\$loop\\d+:")) continue;
      var back = "bra " + lines.get(begin).strip().replace(":", ";");
      int end = begin;
      while (!lines.get(end).endsWith(back)) end++;
      if (end - begin >= best.size()) best = lines.subList(begin, end + 1);
    }
    if (best.isEmpty()) throw new BrokenSiteException(List.of("no loop in\n" + ptx));
    return best.stream().map(String::strip).map(line -> line.endsWith(":") ? line : "  " + line)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static int firstLineWith(List<String> lines, String text, Path source) {
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).contains(text)) return i;
    }
    throw new BrokenSiteException(List.of(source + ": no line contains '" + text + "'"));
  }

  private static int indent(String line) {
    return line.length() - line.stripLeading().length();
  }
}
