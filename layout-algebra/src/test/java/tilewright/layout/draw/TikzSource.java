package tilewright.layout.draw;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A TikZ document, read back line by line. */
record TikzSource(String text) {
  private static final Pattern NODE = Pattern.compile("\\\\node\\[(.*?)] at \\((-?\\d+),(-?\\d+)\\) \\{(.*)};");
  private static final Pattern LINE =
      Pattern.compile("\\\\(path|draw)\\[(.*?)] \\((\\d+),(\\d+)\\) (rectangle|--|-\\|) \\((\\d+),(\\d+)\\);");
  private static final Pattern COLOUR = Pattern.compile("\\\\definecolor\\{(\\w+)}\\{HTML}\\{([0-9A-F]{6})}");

  record Node(Set<String> style, int x, int y, String text) {}

  /** A rectangle, a line or an elbow between two points. */
  record Line(Set<String> style, String kind, List<Integer> points) {}

  private static Set<String> style(String text) {
    return Set.of(text.split(","));
  }

  List<Node> nodes() {
    return NODE.matcher(text).results().map(match -> new Node(style(match.group(1)),
        Integer.parseInt(match.group(2)), Integer.parseInt(match.group(3)), match.group(4))).toList();
  }

  List<Line> lines() {
    return LINE.matcher(text).results().map(match -> new Line(style(match.group(2)), match.group(5),
        List.of(3, 4, 6, 7).stream().map(match::group).map(Integer::valueOf).toList())).toList();
  }

  Map<String, String> colours() {
    return COLOUR.matcher(text).results().collect(Collectors.toMap(match -> match.group(1), match -> match.group(2)));
  }
}
