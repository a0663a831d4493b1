package tilewright.simulator.core;

import java.util.ArrayList;
import tilewright.simulator.Finding.Kind;

/** Says what is wrong with the lanes that take part in an instruction of the whole warp. */
public final class LaneReport {
  private LaneReport() {}

  public static void absentSource(Warp w, int mask, int lane, int source, int site) {
    boolean exited = (w.live >>> source & 1) == 0;
    w.cta.state.findings.add(new Findings.Report(Kind.INVALID_SHUFFLE, site, w.cta, w.thread(lane), 0,
        "shuffle only among lanes that take part: let all lanes of the mask reach the instruction, or narrow the "
        + "mask and the width"),
        () -> w.who(lane) + " (warp " + w.index + ", lane " + lane + ") reads the value of lane " + source + ", which "
        + (exited ? "has exited or never was" : "does not take part") + ": lanes " + ranges(mask)
        + " do; what it gets is undefined");
  }

  /** A lane executes an instruction whose member mask leaves it out. */
  public static void notMember(Warp w, int lane, int mask, int site) {
    w.cta.state.findings.add(new Findings.Report(Kind.INVALID_SHUFFLE, site, w.cta, w.thread(lane), 0,
        "name every lane that executes the instruction in its member mask"),
        () -> w.who(lane) + " (warp " + w.index + ", lane " + lane + ") executes it with member mask 0x"
        + Integer.toHexString(mask) + " (lanes " + ranges(mask) + "), which leaves that lane out");
  }

  /** Set bits as ranges, such as 0-4,6. */
  public static String ranges(int mask) {
    var text = new ArrayList<String>();
    for (int i = 0; i < Warp.LANES; i++) {
      if ((mask >>> i & 1) == 0) continue;
      int end = i;
      while (end + 1 < Warp.LANES && (mask >>> end + 1 & 1) != 0) end++;
      text.add(end > i ? i + "-" + end : Integer.toString(i));
      i = end;
    }
    return text.isEmpty() ? "none" : String.join(",", text);
  }
}
