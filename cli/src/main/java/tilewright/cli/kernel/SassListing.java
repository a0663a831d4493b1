package tilewright.cli.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tilewright.device.assembly.Disassembler;

/** Machine code in the order of its addresses, in blocks that come from one line of Java, with that line's PTX. */
record SassListing(List<Block> blocks) {
  private static final Pattern FILE = Pattern.compile("\\s*\\.file\\s+(\\d+)\\s+\"([^\"]*)\".*");
  private static final Pattern LOCATION = Pattern.compile("\\s*\\.loc\\s+(\\d+)\\s+(\\d+).*");
  private static final Pattern STATEMENT = Pattern.compile("\\s*(?:@!?%\\w+\\s+)?[a-z][\\w.:]*(?:\\s.*)?;");

  /** A line of PTX, counted from 1. */
  record PtxLine(int number, String text) {}

  /** @param label in front of it; empty for none */
  record Sass(String address, String label, String text) {}

  /**
   * Instructions in a row that come from one line.
   *
   * @param file the Java file; empty where it is unknown
   * @param ptx all statements of that line, wherever they are
   */
  record Block(String file, int line, List<PtxLine> ptx, List<Sass> sass) {}

  static SassListing of(List<Disassembler.Instruction> instructions, String ptx) {
    var statements = statements(ptx);
    var blocks = new ArrayList<Block>();
    for (var instruction : instructions) {
      var file = instruction.file().replaceFirst(".*/", "");
      boolean continues = !blocks.isEmpty() && blocks.getLast().file.equals(file)
          && blocks.getLast().line == instruction.line();
      if (!continues) {
        blocks.add(new Block(file, instruction.line(),
            statements.getOrDefault(file + ":" + instruction.line(), List.of()), new ArrayList<>()));
      }
      blocks.getLast().sass.add(new Sass(instruction.address(), instruction.label(), instruction.text()));
    }
    return new SassListing(List.copyOf(blocks));
  }

  /** The statements of PTX by the place that the last {@code .loc} before them names. */
  private static Map<String, List<PtxLine>> statements(String ptx) {
    var files = new HashMap<String, String>();
    var statements = new HashMap<String, List<PtxLine>>();
    var place = "";
    int number = 0;
    for (var line : ptx.lines().toList()) {
      number++;
      var file = FILE.matcher(line);
      var location = LOCATION.matcher(line);
      if (file.matches()) files.put(file.group(1), file.group(2).replaceFirst(".*/", ""));
      else if (location.matches()) place = files.getOrDefault(location.group(1), "") + ":" + location.group(2);
      else if (!place.isEmpty() && STATEMENT.matcher(line).matches()) {
        statements.computeIfAbsent(place, _ -> new ArrayList<>()).add(new PtxLine(number, line.strip()));
      }
    }
    return statements;
  }

  long instructions() {
    return blocks.stream().mapToLong(block -> block.sass.size()).sum();
  }

  /** Java lines at the margin, PTX below them where they first occur, then the machine code. */
  String toText() {
    var text = new StringBuilder();
    var told = new HashSet<String>();
    for (var block : blocks) {
      var place = block.file + ":" + block.line;
      if (!block.file.isEmpty()) {
        text.append(place).append(told.add(place) || block.ptx.isEmpty() ? "\n" : "  (PTX above)\n");
        if (told.add("PTX of " + place)) {
          block.ptx.forEach(line -> text.append("  ptx %5d  %s%n".formatted(line.number, line.text)));
        }
      }
      for (var sass : block.sass) {
        if (!sass.label.isEmpty()) text.append("           ").append(sass.label).append(":\n");
        text.append("      %5s  %s%n".formatted(sass.address, sass.text));
      }
    }
    return text.toString().stripTrailing();
  }
}
