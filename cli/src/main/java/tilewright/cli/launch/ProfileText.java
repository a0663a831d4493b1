package tilewright.cli.launch;

import java.util.Locale;
import tilewright.cli.io.TextTable;
import tilewright.simulator.Profile;

/** A profile as tables for a terminal. */
public final class ProfileText {
  private ProfileText() {}

  public static String of(Profile p) {
    return occupancy(p) + "\n\n" + classes(p) + "\n\n" + spaces(p) + shared(p) + global(p) + "\n\n" + waits(p);
  }

  static String occupancy(Profile p) {
    var o = p.occupancy();
    return "sm_%d: %d registers live at most, %d bytes of shared memory, %d threads a block: %d blocks, %d of %d warps "
        .formatted(o.target(), o.registers(), o.sharedBytes(), o.threads(), o.ctas(), o.warps(), o.mostWarps())
        + "on an SM, limited by " + o.limit();
  }

  private static TextTable classes(Profile p) {
    var table = new TextTable("class", "warps", "threads", "share");
    long all = p.classes().stream().mapToLong(Profile.ClassCount::threads).sum();
    for (var c : p.classes()) {
      table.add(c.name(), "" + c.warps(), "" + c.threads(), percent(c.threads(), all));
    }
    return table;
  }

  static String percent(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }

  private static TextTable spaces(Profile p) {
    var table = new TextTable("space", "bytes read", "bytes written");
    p.spaces().forEach(s -> table.add(s.space(), "" + s.bytesRead(), "" + s.bytesWritten()));
    return table;
  }

  private static String shared(Profile p) {
    if (p.sharedAccesses().isEmpty()) return "";
    var table = new TextTable("line", "shared memory", "accesses", "wavefronts", "conflicts");
    for (var b : p.sharedAccesses()) {
      table.add(where(b.line(), b.source()), b.instruction(), "" + b.accesses(), "" + b.wavefronts(),
          "" + b.conflicts());
    }
    return "\n\n" + table;
  }

  private static String global(Profile p) {
    if (p.globalAccesses().isEmpty()) return "";
    var table = new TextTable("line", "global memory", "accesses", "sectors", "ideal");
    for (var g : p.globalAccesses()) {
      table.add(where(g.line(), g.source()), g.instruction(), "" + g.accesses(), "" + g.sectors(), "" + g.ideal());
    }
    return "\n\n" + table;
  }

  static String where(int line, String source) {
    return source.isEmpty() ? "" + line : line + " " + source;
  }

  /** The share of their lifetime that the warps of the recorded CTAs waited at barriers. */
  static String waits(Profile p) {
    long all = p.timeline().stream().mapToLong(s -> s.end() - s.begin()).sum();
    long waiting = p.timeline().stream().filter(s -> s.line() > 0).mapToLong(s -> s.end() - s.begin()).sum();
    return "warps of the first blocks wait at barriers for " + percent(waiting, all)
        + " of the warp instructions that their block executes meanwhile";
  }
}
