package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tilewright.docs.source.BrokenSiteException;

/** The mistakes that the simulator's tests plant in small kernels, and what each is reported as. */
public final class BugClasses {
  private static final Path TESTS = Path.of("simulator/src/test/java/tilewright/simulator");
  /** A planted bug begins with its name; the kind of its finding follows. */
  private static final Pattern BUG = Pattern.compile(
      "(?:SeededBug\\.sm\\d+|\\bbug|\\bacrossBlocks)\\(\\s*\"([^\"]+)\"[^\"]*?Finding\\.Kind\\.(\\w+)");
  private static final Map<String, String> SECTIONS = sections();

  /** A mistake, and the kind of finding it gives. */
  record Bug(String name, String kind) {}

  private BugClasses() {}

  private static Map<String, String> sections() {
    var sections = new LinkedHashMap<String, String>();
    sections.put("AsyncBugsTest", "mbarriers, bulk copies, clusters");
    sections.put("GlobalCopyBugsTest", "Bulk copies and global memory");
    sections.put("TensorMapBugsTest", "Tensor maps");
    sections.put("EarlierGridsTest", "Programmatic dependent launch");
    sections.put("WgmmaBugsTest", "`wgmma`");
    sections.put("TensorMemoryBugsTest", "`tcgen05` and Tensor Memory");
    sections.put("SeededBugsTest", "Threads, warps and blocks");
    return sections;
  }

  static List<Bug> of(String source) {
    var bugs = new ArrayList<Bug>();
    var matcher = BUG.matcher(source);
    while (matcher.find()) bugs.add(new Bug(matcher.group(1), matcher.group(2)));
    return bugs;
  }

  /** A table in AsciiDoc of the repository's. */
  public static String table(Path root) throws IOException {
    var table = new StringBuilder("[cols=\"5,3\"]\n|===\n|Mistake |Reported as\n\n");
    for (var section : SECTIONS.entrySet()) {
      var file = TESTS.resolve(section.getKey() + ".java");
      var bugs = of(Files.readString(root.resolve(file)));
      if (bugs.isEmpty()) throw new BrokenSiteException(List.of(file + " plants no bugs"));
      table.append("2+h|").append(section.getValue()).append('\n');
      for (var bug : bugs) table.append('|').append(bug.name()).append(" |`").append(bug.kind()).append("`\n");
    }
    return table.append("|===\n").toString();
  }
}
