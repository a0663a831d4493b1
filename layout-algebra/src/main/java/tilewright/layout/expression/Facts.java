package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.Layout;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;

/** The lines of a derivation, those about a part of it indented, and the certificates of its results. */
final class Facts {
  private final List<String> lines;
  private final List<Certificate> certificates;
  private final String indent;

  Facts() {
    this(new ArrayList<>(), new ArrayList<>(), "");
  }

  private Facts(List<String> lines, List<Certificate> certificates, String indent) {
    this.lines = lines;
    this.certificates = certificates;
    this.indent = indent;
  }

  void add(String fact) {
    lines.add(indent + fact);
  }

  /** Where facts about a part go. */
  Facts inner() {
    return new Facts(lines, certificates, indent + "  ");
  }

  /** The result and what certifies it; why there is none stands at the end of the whole derivation. */
  void result(String name, Decision<Layout> decision) {
    if (decision instanceof Decision.Defined<Layout>(var layout, var certificate)) {
      add(name + " = " + layout + ", for " + certificate.explain());
      certificates.add(certificate);
    }
  }

  /** A line that is what a certificate states. */
  void certified(Certificate certificate) {
    add(certificate.explain());
    certificates.add(certificate);
  }

  /** The step of an explanation that these facts derive. */
  Explanation.Step step(String operation, String outcome) {
    return new Explanation.Step(operation, outcome, lines, certificates);
  }
}
