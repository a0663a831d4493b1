package tilewright.layout.bank;

import java.util.List;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.decision.Certificate;
import tilewright.layout.f2.Swizzle;

/**
 * Every phase of every access counted behind a swizzle, and a conflict behind each smaller one.
 *
 * @param smaller all candidates that come before
 */
public record ConflictFreeCertificate(Swizzle swizzle, Layout memory, int elementBytes, BankGeometry geometry,
    List<BankAnalysis> analyses, List<Swizzle> smaller) implements Certificate {
  public ConflictFreeCertificate {
    analyses = List.copyOf(analyses);
    smaller = List.copyOf(smaller);
  }

  @Override
  public boolean holds() {
    return free(swizzle) && smaller.stream().noneMatch(this::free);
  }

  private boolean free(Swizzle candidate) {
    var swizzled = new ComposedLayout(candidate, 0, memory);
    return analyses.stream().map(BankAnalysis::pattern)
        .allMatch(pattern -> BankAnalysis.of(swizzled, elementBytes, pattern, geometry).conflictFree());
  }

  @Override
  public String explain() {
    var phases = analyses.stream().mapToInt(analysis -> analysis.phases().size()).sum();
    var wavefronts = analyses.stream().mapToInt(BankAnalysis::wavefronts).sum();
    return "with " + swizzle + " in front of " + memory + ", " + phases + " phases of " + analyses.size()
        + " accesses take " + wavefronts + " wavefronts, the fewest for their words; each of the " + smaller.size()
        + " smaller swizzles has a conflict";
  }
}
