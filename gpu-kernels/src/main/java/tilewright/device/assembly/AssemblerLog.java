package tilewright.device.assembly;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tilewright.device.assembly.Assembly.Resources;

/** The verbose log of NVIDIA's assemblers. */
final class AssemblerLog {
  private static final Pattern ENTRY = Pattern.compile("Compiling entry function '([^']+)'");
  private static final Pattern PROPERTIES = Pattern.compile("Function properties for (\\S+)");
  private static final Pattern STACK =
      Pattern.compile("(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads");
  private static final Pattern REGISTERS = Pattern.compile("Used (\\d+) registers");
  private static final Pattern SHARED = Pattern.compile("(\\d+) bytes smem");

  /** Notes with a code are of severity "info", yet say that something is lost: C7510 is wgmma made serial. */
  private static final Pattern WARNING = Pattern.compile("(?i)\\bwarning\\b|\\(C\\d+\\)|performance loss");

  private AssemblerLog() {}

  static List<String> warnings(String log) {
    return log.lines().map(String::strip).filter(line -> WARNING.matcher(line).find()).toList();
  }

  static List<Resources> resources(String log) {
    var resources = new ArrayList<Resources>();
    var entry = "";
    var described = "";
    int[] stack = {0, 0, 0};
    for (var line : log.lines().toList()) {
      if (ENTRY.matcher(line) instanceof Matcher m && m.find()) {
        entry = m.group(1);
        stack = new int[] {0, 0, 0};
      } else if (PROPERTIES.matcher(line) instanceof Matcher m && m.find()) {
        described = m.group(1);
      } else if (STACK.matcher(line) instanceof Matcher m && m.find() && described.equals(entry)) {
        stack = new int[] {number(m, 1), number(m, 2), number(m, 3)};
      } else if (REGISTERS.matcher(line) instanceof Matcher m && m.find()) {
        resources.add(new Resources(entry, number(m, 1), stack[1], stack[2], stack[0], shared(line)));
      }
    }
    return resources;
  }

  private static int shared(String line) {
    var matcher = SHARED.matcher(line);
    return matcher.find() ? number(matcher, 1) : 0;
  }

  private static int number(Matcher matcher, int group) {
    return Integer.parseInt(matcher.group(group));
  }
}
