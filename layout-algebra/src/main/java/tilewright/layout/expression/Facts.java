package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;

/** The lines of a derivation; those about a part of it are indented. */
final class Facts {
  private final List<String> lines;
  private final String indent;

  Facts() {
    this(new ArrayList<>(), "");
  }

  private Facts(List<String> lines, String indent) {
    this.lines = lines;
    this.indent = indent;
  }

  void add(String fact) {
    lines.add(indent + fact);
  }

  /** Where facts about a part go. */
  Facts inner() {
    return new Facts(lines, indent + "  ");
  }

  /** The result and what certifies it; why there is none stands at the end of the whole derivation. */
  void result(String name, Decision<Layout> decision) {
    if (decision instanceof Decision.Defined<Layout>(var layout, var certificate)) {
      add(name + " = " + layout + ", for " + certificate.explain());
    }
  }

  List<String> lines() {
    return lines;
  }
}
